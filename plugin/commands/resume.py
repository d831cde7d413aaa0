"""`segue resume RUN`: a run that waits goes on; an effect that a crash left unknown is settled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from segue.session.errors import NotFound, UsageError

from .. import workspace
from .rehearse import add_who_answers

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


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
    workspace.add_arguments(parser)


def run(args: Namespace) -> int:
    if args.output is not None and args.effect != "done":
        raise UsageError("--output goes with --effect done")
    where = workspace.workspace_of(args)
    if not where.has_state:
        raise NotFound(where.nothing_kept(args.run))
    with workspace.worker(where.root) as worker:
        from .. import rehearsing

        return rehearsing.go_on(args, args.run, worker, settle=args.effect)
