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


_NARROW = 52
"""Fits beside the names on a page of 80 columns."""


def _draw(listed: list[Found]) -> None:
    from ..views.page import Page
    from ..views.tables import Cell, table

    page, rows = Page(), []
    for found in listed:
        head = (Cell(found.name, ("bold",)), Cell(_from(found), ("dim",)), Cell(_about(found)))
        rows += [head, *((Cell(""), Cell(""), Cell(more, ("dim",))) for more in _more(found))]
    table(page, ("WORKFLOW", "FROM", "WHAT IT DOES"), rows)


def _from(found: Found) -> str:
    entry = _entry(found)
    return found.origin if entry is None else f"{found.origin} r{entry.revision}"


def _about(found: Found) -> str:
    named = found.title.casefold() == found.name.replace("-", " ")  # the title says nothing more
    return ": ".join(part for part in ("" if named else found.title, found.description) if part)


def _more(found: Found) -> list[str]:
    """Give what a built-in takes and how it ends, and what a file hides."""
    entry = _entry(found)
    said: list[str] = []
    if entry is not None:
        said = wrap(f"takes {', '.join(entry.input)}", _NARROW, subsequent_indent="  ")
        said += wrap(f"ends in {', '.join(entry.exits)}", _NARROW, break_on_hyphens=False)
    return said + [f"hides {', '.join(found.shadows)}"] * bool(found.shadows)
