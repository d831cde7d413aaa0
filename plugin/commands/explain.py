"""`segue explain`: steps, contracts, sizes, loops, changes and people, from the text alone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ..charts import source_named
from ..explaining import explain

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("workflow", metavar="WORKFLOW", help="a name, a reference or a file")


def run(args: argparse.Namespace) -> int:
    print(explain(*source_named(args.workflow, Path.cwd())))
    return 0
