"""`segue.server.openState`: where a project's state lies, opened where the client can."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types

from .. import palette
from ..uris import uri_of

if TYPE_CHECKING:
    from ..server import SegueServer


async def run(server: SegueServer, arguments: dict[str, Any]) -> Any:
    args = palette.read(arguments)
    try:
        project = await palette.project(server, args)
    except palette.Dismissed:
        return palette.nothing()
    folder = project.database.parent
    exists = await server.off("quick", lambda: project.has_state)
    if exists and not args.quiet and server.can("window", "show_document", "support"):
        params = types.ShowDocumentParams(uri=uri_of(folder), external=True)
        server.spawn(server.protocol.ask_async(types.WINDOW_SHOW_DOCUMENT, params), "open state")
    said = f"{folder}" if exists else f"{folder} (nothing is kept there yet)"
    return palette.done(server, args, said, folder=str(folder))
