"""textDocument/documentHighlight: the same name elsewhere in the file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from ...authoring.finding import named_at
from ...authoring.mentions import mentions_of
from . import encode, sources

if TYPE_CHECKING:
    from ...authoring.opened import Opened
    from ..server import SegueServer


async def handle(
    server: SegueServer, params: types.DocumentHighlightParams
) -> list[types.DocumentHighlight] | None:
    return await sources.answer(server, params.text_document.uri, highlights, params.position)


def highlights(opened: Opened, position: types.Position) -> list[types.DocumentHighlight]:
    mention = named_at(opened, encode.offset_of(opened, position))
    if mention is None:
        return []
    write, read = types.DocumentHighlightKind.Write, types.DocumentHighlightKind.Read
    return [
        types.DocumentHighlight(
            encode.range_of(opened.places, each.span), write if each.declares else read
        )
        for each in mentions_of(opened.views, opened.module, mention.symbol)
    ]
