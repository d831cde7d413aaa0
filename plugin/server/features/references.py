"""textDocument/references: every place that names a node, mount, exit or workflow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from ...authoring.finding import everywhere, named_at
from . import encode, sources

if TYPE_CHECKING:
    from ...authoring.opened import Opened
    from ..server import SegueServer


async def handle(server: SegueServer, params: types.ReferenceParams) -> list[types.Location] | None:
    declaration = params.context.include_declaration
    return await sources.answer(
        server, params.text_document.uri, references, params.position, declaration=declaration
    )


def references(
    opened: Opened, position: types.Position, *, declaration: bool
) -> list[types.Location]:
    mention = named_at(opened, encode.offset_of(opened, position))
    if mention is None:
        return []
    return [
        types.Location(encode.uri_of(opened, file.path), encode.range_of(file.places, each.span))
        for file in everywhere(opened, mention.symbol)
        for each in file.mentions
        if declaration or not each.declares
    ]
