"""textDocument/rename: a node, mount or exit in every file that names it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from ...authoring.finding import named_at
from ...authoring.renaming import rename as renamed
from . import encode, sources

if TYPE_CHECKING:
    from ...authoring.desk import Desk
    from ...authoring.opened import Opened
    from ..server import SegueServer


async def handle(server: SegueServer, params: types.RenameParams) -> types.WorkspaceEdit | None:
    versioned = server.can("workspace", "workspace_edit", "document_changes")
    return await sources.demand(
        server,
        params.text_document.uri,
        rename,
        params.position,
        params.new_name,
        sources.authoring(server).desk,
        versioned=versioned,
    )


def rename(
    opened: Opened, position: types.Position, new: str, desk: Desk, *, versioned: bool = True
) -> types.WorkspaceEdit | None:
    mention = named_at(opened, encode.offset_of(opened, position))
    if mention is None:
        return None
    plain: dict[str, list[types.TextEdit]] = {}
    changes: list[types.TextDocumentEdit] = []
    for file, edits in renamed(opened, mention, new):
        uri = encode.uri_of(opened, file.path)
        made = [types.TextEdit(encode.range_of(file.places, e.span), e.new) for e in edits]
        plain[uri] = made
        there = opened if file.path == opened.path else desk.at_path(file.path)
        version = None if there is None else there.version
        document = types.OptionalVersionedTextDocumentIdentifier(uri=uri, version=version)
        changes.append(types.TextDocumentEdit(document, list(made)))
    if not versioned:
        return types.WorkspaceEdit(changes=dict(plain))
    return types.WorkspaceEdit(document_changes=list(changes))
