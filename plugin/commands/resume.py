"""`segue resume RUN`: a run that waits goes on; an effect that a crash left unknown is settled.

A rehearsal goes on right here. A conversation's run goes on there: this stores it, and the
session takes it up, at once or when it is open again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from segue.session.engine import launch
from segue.session.errors import Conflict, SegueError, UsageError
from segue.session.status import REHEARSAL

from .. import asking, workspace
from .rehearse import add_who_answers

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from ..workspace import Workspace


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", help="the run's id, or the beginning of it")
    add_who_answers(parser)
    parser.add_argument(
        "--effect",
        choices=("done", "again", "failed"),
        help="for an ambiguous run, what became of the interrupted action: it happened, it did"
        " not and is to run again, or it failed",
    )
    parser.add_argument("--output", metavar="JSON", help="with --effect done: the step's output")
    asking.add_wait(parser)
    workspace.add_arguments(parser)


def run(args: Namespace) -> int:
    if args.output is not None and args.effect != "done":
        raise UsageError("--output goes with --effect done")
    where = asking.opened(args, f"run {args.run!r}")
    with asking.looking(where) as look:
        origin = look.run(args.run).origin
    if origin.host != REHEARSAL:
        launch.drop()
        return _elsewhere(args, where)
    with workspace.worker(where.root) as worker:
        from .. import rehearsing

        return rehearsing.go_on(args, args.run, worker, settle=args.effect)


def _elsewhere(args: Namespace, where: Workspace) -> int:
    """Let a conversation's run go on, after saying how much is done and stays done (P-D4)."""
    from ..rehearsing import json_of
    from ..views.page import Page
    from ..views.resumption import tell

    if args.answers is not None or args.run_actions:
        raise UsageError("--answers and --run-actions are for rehearsals: leave them out")
    with where.service() as service:
        outlook = service.outlook(args.run)
        run, reason = outlook.run, outlook.status.reason
        if run.ended_at:
            raise SegueError(f"run {run.id} has ended already ({run.state}): segue show {run.id}")
        if args.effect:
            value = None if args.output is None else json_of("--output", args.output)
            service.settle(run, asking.ELSEWHERE, args.effect, value)
            outlook = service.outlook(run.id)
            if outlook.run.ended_at:
                asking.said(args, outlook, f"run {run.id} ({run.workflow}): {outlook.run.state}")
                return 0
        elif reason in ("checkpoint", "human"):
            raise Conflict(
                f"run {run.id} waits for an answer, not for a resume: {asking.todo(outlook)}"
            )
        if not args.json and reason != "other_version":
            tell(Page(), service.report(run.id), service.drifts(outlook.run))
        return asking.ask(args, service, outlook, "resume")
