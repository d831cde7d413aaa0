"""`segue cancel RUN`: end a run, or ask the process that drives it to."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from segue.session.errors import SegueError, UsageError

from .. import asking, workspace

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from segue.session.store.records import Run


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", help="the run's id, or the beginning of it")
    parser.add_argument("--yes", action="store_true", help="do not ask")
    asking.add_wait(parser)
    asking.add_json(parser)
    workspace.add_arguments(parser)


def run(args: Namespace) -> int:
    where = asking.opened(args, f"run {args.run!r}")
    with where.service() as service:
        found = service.outlook(args.run)
        if not found.run.ended_at and not args.yes:
            _confirm(found.run)
        return asking.ask(args, service, found, "cancel")


def _confirm(run: Run) -> None:
    if not sys.stdin.isatty():
        raise UsageError(f"cancelling run {run.id} has to be confirmed: add --yes")
    print(f"Run {run.id} of {run.workflow} ({run.state}, {run.steps} steps) ends for good.")
    try:
        said = input("Cancel it? [y/N] ")
    except EOFError:
        said = ""
    if said.strip().lower() not in ("y", "yes"):
        raise SegueError(f"run {run.id} is left as it is")
