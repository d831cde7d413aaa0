"""`segue doctor`: is everything in place, and what to type where."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from .. import doctor, workspace
from ..doctor import Level
from ..views.paint import paint_for

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterable

    from ..doctor import Finding

_MARKS = {Level.OK: "✓", Level.INFO: "·", Level.WARNING: "!", Level.ERROR: "✗"}
_COLOURS = {Level.OK: "green", Level.INFO: "dim", Level.WARNING: "yellow", Level.ERROR: "red"}


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--fix", action="store_true", help="make the fixes that are safe")
    parser.add_argument("--json", action="store_true", help="a list, for programs")
    workspace.add_arguments(parser)


def run(args: Namespace) -> int:
    where = workspace.workspace_of(args)
    found = list(doctor.examine(where))
    if args.fix and any(finding.fix for finding in found):
        for finding in found:
            if finding.fix is not None:
                finding.fix()
        # Looked at again: a fix is only done when its own check says so.
        found = list(doctor.examine(where))
    if args.json:
        print(json.dumps([finding.to_json() for finding in found], ensure_ascii=False, indent=1))
    else:
        print("\n".join(_lines(found)))
    return 1 if any(finding.level is Level.ERROR for finding in found) else 0


def _lines(found: Iterable[Finding]) -> list[str]:
    paint = paint_for(sys.stdout)
    lines = []
    for finding in found:
        mark = paint(_MARKS[finding.level], _COLOURS[finding.level])
        lines.append(f"{mark} {finding.say}")
        if finding.todo:
            fixable = "  (or: segue doctor --fix)" if finding.fix else ""
            lines.append(f"    {finding.todo}{fixable}")
    return lines
