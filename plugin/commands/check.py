"""`segue check`: what is wrong with workflow files, without running any of them."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import TYPE_CHECKING

from segue.session.errors import UsageError
from segue.session.workflow.findings import Severity
from segue.session.workflow.rules import check_module

from .. import workspace
from ..checking import files, library, shown
from ..reports import FORMATS

if TYPE_CHECKING:
    import argparse

    from segue.session.workflow.findings import Finding
    from segue.session.workflow.source.library import Library


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "paths",
        nargs="*",
        type=Path,
        metavar="PATH",
        help="a workflow file, or a folder: the .segue/workflows below it (default: this project)",
    )
    parser.add_argument("--json", action="store_true", help="the same as --format json")
    parser.add_argument("--format", choices=sorted(FORMATS), default="text", help="how to report")
    parser.add_argument("--fix", action="store_true", help="apply the edits that are safe")
    parser.add_argument(
        "--load",
        action="store_true",
        help="also load each file in a worker and compare: this runs the file's code, so only"
        " for projects that you trust",
    )
    workspace.add_arguments(parser)


def run(args: argparse.Namespace) -> int:
    if args.json and args.format not in {"text", "json"}:
        raise UsageError(f"--json and --format {args.format} are two answers: choose one")
    # What is read of a file has no cycles and lives until the process ends: nothing to collect.
    gc.disable()
    meant = files(args.paths or [workspace.project_of(args)])
    look = library()
    if args.fix:
        _fix(meant, look)
    found = [finding for path in meant for finding in check_file(path, look)]
    if args.load:
        from ..loading import compare

        home = workspace.workspace_of(args).home.path
        found += [finding for path in meant for finding in compare(path, look, found, home)]
    print(FORMATS["json" if args.json else args.format](found, len(meant)))
    return 1 if any(f.severity is Severity.ERROR for f in found) else 0


def check_file(path: Path, look: Library) -> list[Finding]:
    """Give the findings of one file.

    Raises:
        UsageError: Where it cannot be read.
    """
    module = look.open(path)
    if module is None:
        raise UsageError(f"cannot read {path}")
    return check_module(module)


def _fix(meant: list[Path], look: Library) -> None:
    import sys

    from ..mending import mend

    for path in meant:
        count = mend(path, look)
        if count:
            edits = "1 edit" if count == 1 else f"{count} edits"
            print(f"{shown(path)}: {edits} applied", file=sys.stderr)
