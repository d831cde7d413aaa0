"""textDocument/completion: node names, case values, fields, exits, settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lsprotocol import types

from ...authoring.offered import Sort, offers
from . import encode, sources

if TYPE_CHECKING:
    from ...authoring.offered import Offer
    from ...authoring.opened import Opened
    from ..server import SegueServer

_KINDS: Final = {
    Sort.NODE: types.CompletionItemKind.Function,
    Sort.FIELD: types.CompletionItemKind.Field,
    Sort.VALUE: types.CompletionItemKind.EnumMember,
    Sort.EXIT: types.CompletionItemKind.Event,
    Sort.SETTING: types.CompletionItemKind.Property,
}


async def handle(server: SegueServer, params: types.CompletionParams) -> types.CompletionList:
    made = await sources.answer(server, params.text_document.uri, completion, params.position)
    # Typed on meanwhile: the editor is to ask again rather than to filter an empty list.
    return made or types.CompletionList(is_incomplete=True, items=[])


def completion(opened: Opened, position: types.Position) -> types.CompletionList:
    found = offers(opened, encode.offset_of(opened, position))
    given = encode.range_of(opened.places, found.span)
    items = [_item(each, index, given) for index, each in enumerate(found.items)]
    return types.CompletionList(is_incomplete=False, items=items)


def _item(offer: Offer, index: int, given: types.Range) -> types.CompletionItem:
    return types.CompletionItem(
        label=offer.label,
        kind=_KINDS[offer.sort],
        detail=offer.detail or None,
        sort_text=f"{offer.rank}{index:05}",
        filter_text=offer.written,
        text_edit=types.TextEdit(given, offer.written),
    )
