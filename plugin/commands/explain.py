"""`segue explain`: steps, contracts, sizes, loops, changes and people, from the text alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import workspace
from ..charts import source_named
from ..explaining import explain

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("workflow", metavar="WORKFLOW", help="a name, a reference or a file")
    workspace.add_arguments(parser)


def run(args: argparse.Namespace) -> int:
    print(explain(*source_named(args.workflow, workspace.project_of(args))))
    return 0
