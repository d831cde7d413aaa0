"""Live state beside workflow files: read from each project's database while files are open.

Reads happen on a thread and only when a commit moved the database's version. Nothing is made:
where a project has no state there is nothing to show.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Final

from lsprotocol import types

from segue.session.errors import SegueError

from ...authoring.live import LiveReader, RunState
from .. import uris
from .sources import authoring

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from ..folders import Project
    from ..server import SegueServer

LOOK_SECONDS: Final = 0.2
_log = logging.getLogger("segue.live")


class Live:
    """The latest runs of the files that are open."""

    def __init__(self) -> None:
        self.runs: dict[Path, RunState] = {}
        self.following = False
        self._readers: dict[Path, LiveReader] = {}
        self._seen: dict[Path, tuple[int, frozenset[Path]]] = {}

    def look(self, project: Project, paths: frozenset[Path]) -> dict[Path, RunState] | None:
        """Give the runs of these files, None where nothing has changed (blocks)."""
        reader = self._readers.get(project.database)
        if reader is None:
            if not project.has_state:
                return None
            reader = self._readers[project.database] = LiveReader(project.database)
        seen = (reader.version(), paths)
        if self._seen.get(project.database) == seen:
            return None
        found = reader.read(paths)
        self._seen[project.database] = seen
        return found

    def forget(self, project: Project) -> None:
        """Open a project's state anew at the next look."""
        reader = self._readers.pop(project.database, None)
        self._seen.pop(project.database, None)
        if reader is not None:
            reader.close()

    def close(self) -> None:
        for reader in self._readers.values():
            reader.close()
        self._readers.clear()
        self._seen.clear()


def _live(server: SegueServer) -> Live:
    kept = authoring(server)
    if kept.live is None:
        kept.live = Live()
    made: Live = kept.live
    return made


def run_of(server: SegueServer, uri: str) -> RunState | None:
    """Give the latest run of an open file, as it was last read."""
    document = server.documents.get(uri)
    return None if document is None else _live(server).runs.get(document.path)


def folder_of(server: SegueServer, uri: str) -> str | None:
    """Give the workspace folder that a command about this file names."""
    path = uris.folder_path(uri)
    folder = server.folders.of(path) if path is not None else None
    return None if folder is None else folder.uri


def follow(server: SegueServer) -> None:
    """Look at state for as long as a workflow file is open."""
    live = _live(server)
    if not live.following and any(True for _ in authoring(server).desk):
        live.following = True
        server.spawn(_follow(server, live), "live state")


async def _follow(server: SegueServer, live: Live) -> None:
    try:
        while opened := list(authoring(server).desk):
            await server.settled()
            paths = [each.path for each in opened]
            moved = False
            for project, here in _by_project(server, paths):
                moved = await _look(server, live, project, here) or moved
            if moved:
                _refresh(server)
            await asyncio.sleep(LOOK_SECONDS)
    finally:
        live.following = False
        live.close()


async def _look(server: SegueServer, live: Live, project: Project, paths: frozenset[Path]) -> bool:
    """Read a project's state; whether what is shown has changed."""
    try:
        found = await server.off("quick", live.look, project, paths)
    except (SegueError, OSError) as error:
        # It is being made, moved or migrated just now: the next look sees it whole.
        _log.info("live state: %s", error)
        live.forget(project)
        return False
    if found is None:
        return False
    before = {path: live.runs[path] for path in paths if path in live.runs}
    for path in paths:
        live.runs.pop(path, None)
    live.runs |= found
    return before != found


def _by_project(
    server: SegueServer, paths: Iterable[Path]
) -> list[tuple[Project, frozenset[Path]]]:
    found: dict[Path, tuple[Project, set[Path]]] = {}
    for path in paths:
        folder = server.folders.of(path)
        if folder is not None and folder.project is not None:
            found.setdefault(folder.project.root, (folder.project, set()))[1].add(path)
    return [(project, frozenset(here)) for project, here in found.values()]


def _refresh(server: SegueServer) -> None:
    """Have the editor ask again, where it can be told to."""
    if server.can("workspace", "code_lens", "refresh_support"):
        server.protocol.send_request(types.WORKSPACE_CODE_LENS_REFRESH)
    if server.can("workspace", "inlay_hint", "refresh_support"):
        server.protocol.send_request(types.WORKSPACE_INLAY_HINT_REFRESH)
