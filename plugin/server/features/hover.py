"""textDocument/hover: contract, size, edges and last outcome of what stands at a place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from ...authoring.told import told_at
from . import encode, live, sources

if TYPE_CHECKING:
    from ...authoring.live import RunState
    from ...authoring.opened import Opened
    from ..server import SegueServer


async def handle(server: SegueServer, params: types.HoverParams) -> types.Hover | None:
    uri = params.text_document.uri
    run = live.run_of(server, uri)
    return await sources.answer(server, uri, hover, params.position, run)


def hover(opened: Opened, position: types.Position, run: RunState | None) -> types.Hover | None:
    told = told_at(opened, encode.offset_of(opened, position), run)
    if told is None:
        return None
    text, span = told
    content = types.MarkupContent(types.MarkupKind.Markdown, text)
    return types.Hover(content, encode.range_of(opened.places, span))
