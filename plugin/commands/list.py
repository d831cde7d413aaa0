"""`segue list`: which workflows can be run here. Files are read as text only (S1)."""

from __future__ import annotations

import json
from functools import cache
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from segue.builtins import catalogue
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
    return _file_json(found) | _builtin_json(found)


def _builtin_json(found: Found) -> dict[str, Any]:
    entry = _entry(found)
    if entry is None:
        return {}
    return {"revision": entry.revision, "input": list(entry.input), "exits": list(entry.exits)}


def _entry(found: Found) -> catalogue.Entry | None:
    return _recorded().get(found.name) if found.origin == "builtin" else None


@cache
def _recorded() -> dict[str, catalogue.Entry]:
    return catalogue.read()


def _file_json(found: Found) -> dict[str, Any]:
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

    page, rows = Page(), []
    taken = max(len(found.name) for found in listed) + max(len(_from(found)) for found in listed)
    room = max(page.columns - taken - 4, 30)
    for found in listed:
        about, *further = wrap(_about(found), room) or [""]
        rows.append((Cell(found.name, ("bold",)), Cell(_from(found), ("dim",)), Cell(about)))
        rows += [(Cell(""), Cell(""), Cell(line)) for line in further]
        for more in _more(found):
            rows += [(Cell(""), Cell(""), Cell(line, ("dim",))) for line in _wrapped(more, room)]
    table(page, ("WORKFLOW", "FROM", "WHAT IT DOES"), rows)


def _wrapped(text: str, room: int) -> list[str]:
    return wrap(text, room, subsequent_indent="  ", break_on_hyphens=False)


def _from(found: Found) -> str:
    entry = _entry(found)
    return found.origin if entry is None else f"{found.origin} r{entry.revision}"


def _about(found: Found) -> str:
    return ": ".join(part for part in (found.title, found.description) if part)


def _more(found: Found) -> list[str]:
    """Give what a built-in takes and how it ends, and what a file hides."""
    entry = _entry(found)
    said = [] if entry is None else [f"takes {', '.join(entry.input)}"]
    said += [] if entry is None else [f"ends in {', '.join(entry.exits)}"]
    return said + [f"hides {', '.join(found.shadows)}"] * bool(found.shadows)
