"""textDocument/prepareRename: what would be renamed, or why nothing can be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from ...authoring.finding import named_at
from ...authoring.renaming import check_target, name_span
from . import encode, sources

if TYPE_CHECKING:
    from ...authoring.opened import Opened
    from ..server import SegueServer


async def handle(
    server: SegueServer, params: types.PrepareRenameParams
) -> types.PrepareRenamePlaceholder | None:
    return await sources.answer(server, params.text_document.uri, prepare_rename, params.position)


def prepare_rename(
    opened: Opened, position: types.Position
) -> types.PrepareRenamePlaceholder | None:
    mention = named_at(opened, encode.offset_of(opened, position))
    if mention is None:
        return None
    check_target(mention)
    where = encode.range_of(opened.places, name_span(opened.data, mention))
    return types.PrepareRenamePlaceholder(where, mention.named or mention.symbol.name)
