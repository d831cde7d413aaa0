"""`segue pause RUN`: hold a run after the step under way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import asking, workspace

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", help="the run's id, or the beginning of it")
    asking.add_wait(parser)
    asking.add_json(parser)
    workspace.add_arguments(parser)


def run(args: Namespace) -> int:
    where = asking.opened(args, f"run {args.run!r}")
    with where.service() as service:
        return asking.ask(args, service, service.outlook(args.run), "pause")
