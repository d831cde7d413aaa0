"""workspace/didChangeWatchedFiles: a neighbour was changed by something other than the editor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from .. import uris
from . import diagnostics
from .sources import authoring

if TYPE_CHECKING:
    from ..server import SegueServer


async def handle(server: SegueServer, params: types.DidChangeWatchedFilesParams) -> None:
    desk = authoring(server).desk
    for event in params.changes:
        path = uris.folder_path(event.uri)
        if path is not None and desk.at_path(path) is None:
            diagnostics.tell(server, desk.renew(path))


def watch(server: SegueServer) -> None:
    """Ask the client, once, to tell of workflow files that change on disk."""
    kept = authoring(server)
    if kept.watching or not server.can(
        "workspace", "did_change_watched_files", "dynamic_registration"
    ):
        return
    kept.watching = True
    watchers = [types.FileSystemWatcher("**/.segue/workflows/*.py")]
    options = types.DidChangeWatchedFilesRegistrationOptions(watchers)
    made = types.Registration("segue-workflows", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
    server.protocol.send_request(types.CLIENT_REGISTER_CAPABILITY, types.RegistrationParams([made]))
