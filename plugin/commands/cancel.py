"""`segue cancel RUN`: end a run, or ask the process that drives it to."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from segue.session.errors import NotFound, SegueError, UsageError
from segue.session.ownership import Actor, Who

from .. import workspace

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from segue.session.store.records import Run


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", help="the run's id, or the beginning of it")
    parser.add_argument("--yes", action="store_true", help="do not ask")
    workspace.add_arguments(parser)


def run(args: Namespace) -> int:
    where = workspace.workspace_of(args)
    if not where.has_state:
        raise NotFound(where.nothing_kept(args.run))
    with where.service() as service:
        found = service.find_run(args.run)
        if not found.ended_at and not args.yes:
            _confirm(found)
        after = service.carry_out(found, Actor(Who.ELSEWHERE), "cancel")
    if after.ended_at:
        print(f"run {after.id} ({after.workflow}) is cancelled")
    else:
        print(f"run {after.id} ({after.workflow}): the process that drives it is asked to end it")
    return 0


def _confirm(run: Run) -> None:
    if not sys.stdin.isatty():
        raise UsageError(f"cancelling run {run.id} has to be confirmed: add --yes")
    print(f"Run {run.id} of {run.workflow} ({run.state}, {run.steps} steps) ends for good.")
    if input("Cancel it? [y/N] ").strip().lower() not in ("y", "yes"):
        raise SegueError(f"run {run.id} is left as it is")
