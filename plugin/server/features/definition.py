"""textDocument/definition: from any name of a node, mount, exit, workflow or field to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from segue.session.workflow.source.outputs import NoField, field_at
from segue.session.workflow.source.types import Kind, fields_of

from ...authoring.finding import declared, named_at, places_of
from . import encode, sources

if TYPE_CHECKING:
    from ...authoring.opened import Opened
    from ..server import SegueServer


async def handle(
    server: SegueServer, params: types.DefinitionParams
) -> list[types.Location] | None:
    return await sources.answer(server, params.text_document.uri, definition, params.position)


def definition(opened: Opened, position: types.Position) -> list[types.Location]:
    offset = encode.offset_of(opened, position)
    mention = named_at(opened, offset)
    if mention is None:
        return _field(opened, offset)
    found = declared(opened, mention.symbol)
    if found is None:
        return []
    where = encode.range_of(places_of(opened, found.module), found.span)
    return [types.Location(encode.uri_of(opened, mention.symbol.path), where)]


def _field(opened: Opened, offset: int) -> list[types.Location]:
    """Find the field that a switch rests on."""
    for view in opened.views.values():
        for edge in view.workflow.edges:
            if edge.form != "switch" or not edge.on_span[0] <= offset <= edge.on_span[1]:
                continue
            on, (output, choices) = view.on(edge), view.source_output(edge.source)
            if not isinstance(on, str):
                return []
            path, _, last = on.rpartition(".")
            owner = field_at(output, path, choices) if path else output
            if isinstance(owner, NoField) or owner.kind is not Kind.MODEL or owner.home is None:
                return []
            found = (fields_of(owner.home) or {}).get(last)
            if found is None:
                return []
            home, field = found
            where = encode.range_of(places_of(opened, home.module), home.placed.at(field.span))
            return [types.Location(encode.uri_of(opened, home.module.document.path), where)]
    return []
