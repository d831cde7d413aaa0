"""`segue list`: which workflows can be run here. Files are read as text only (S1)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from segue.session.workflow.discovery import discover

from .. import workspace

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from segue.session.workflow.discovery import Found


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    workspace.add_arguments(parser)


def run(args: Namespace) -> int:
    listed = [found for found in discover(workspace.project_of(args)) if not found.mount_only]
    if args.json:
        print(json.dumps([_to_json(found) for found in listed], ensure_ascii=False))
    elif not listed:
        print("no workflows here yet: write one with `segue new NAME`")
    else:
        _draw(listed)
    return 0


def _to_json(found: Found) -> dict[str, Any]:
    return {
        "name": found.name,
        "ref": found.ref,
        "path": str(found.path),
        "origin": found.origin,
        "title": found.title,
        "description": found.description,
        "shadows": list(found.shadows),
    }


def _draw(listed: list[Found]) -> None:
    from ..views.page import Page
    from ..views.tables import Cell, table

    rows = [
        (Cell(found.name, ("bold",)), Cell(found.origin, ("dim",)), Cell(_about(found)))
        for found in listed
    ]
    table(Page(), ("WORKFLOW", "FROM", "WHAT IT DOES"), rows)


def _about(found: Found) -> str:
    about = found.title or found.description
    hides = f" (hides {', '.join(found.shadows)})" if found.shadows else ""
    return about + hides
