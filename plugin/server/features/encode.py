"""From offsets to lsprotocol's positions and back, and how protocol values are spelled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from .. import uris

if TYPE_CHECKING:
    from pathlib import Path

    from segue.session.workflow.source.expr import Span

    from ...authoring.opened import Opened
    from ...authoring.places import Places


def range_of(places: Places, span: Span) -> types.Range:
    start, end = places.place(span[0]), places.place(span[1])
    return types.Range(types.Position(*start), types.Position(*end))


def offset_of(opened: Opened, position: types.Position) -> int:
    return opened.places.offset(position.line, position.character)


def span_of(opened: Opened, given: types.Range) -> Span:
    return offset_of(opened, given.start), offset_of(opened, given.end)


def uri_of(opened: Opened, path: Path) -> str:
    """Give a file's URI; the editor's own spelling for what it has open."""
    return opened.uri if path == opened.path else uris.uri_of(path)
