"""The workspace's folders: each its own project, settings, trust and state (P-O2).

A folder is added and removed while the server runs. Nothing is made or run by opening one (S1).
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from segue.session import paths
from segue.session.errors import NotFound, SegueError, UsageError

from . import uris

if TYPE_CHECKING:
    from collections.abc import Iterator

    from segue.session.paths import StateHome
    from segue.session.service import Service


@dataclass(frozen=True)
class Project:
    """A project's root and where its state lives, which need not exist yet."""

    root: Path
    home: StateHome
    database: Path
    trusted: bool = field(default=False, compare=False)
    """Whether the client's own workspace trust covers it."""

    @classmethod
    def of(cls, folder: Path, *, trusted: bool = False) -> Project:
        """Give the project that a folder belongs to (blocks: it looks at the disk)."""
        home = paths.state_home(os.environ)
        root = paths.project_root(folder)
        return cls(root, home, paths.project_state(home, root), trusted)

    @property
    def has_state(self) -> bool:
        """Whether anything was ever kept: what only looks makes nothing."""
        return self.database.exists()

    @contextmanager
    def service(self) -> Iterator[Service]:
        """A service of its own, for one piece of work on one thread."""
        service = self.open()
        with service:
            yield service

    def open(self) -> Service:
        """Give a service that the caller closes; state is made where it is missing."""
        from segue.session.service import Service

        paths.prepare(self.database.parent, top=self.home.path)
        service = Service(self.root, self.database)
        service.trusted = self.trusted
        return service


@dataclass(frozen=True)
class Folder:
    """One folder of the workspace. `project` is None where it has none; `why` then says why."""

    uri: str
    name: str
    path: Path
    project: Project | None
    why: str = ""


def folder_of(uri: str, name: str, trusted: bool) -> Folder | None:
    """Look a folder up; None where it is none on this machine (blocks)."""
    path = uris.folder_path(uri)
    if path is None:
        return None
    try:
        return Folder(uri, name or path.name, path, Project.of(path, trusted=trusted))
    except (SegueError, OSError) as error:
        return Folder(uri, name or path.name, path, None, str(error))


class Folders:
    """The folders that the client has open now; changed only on the loop."""

    def __init__(self) -> None:
        self._folders: dict[str, Folder] = {}

    def __iter__(self) -> Iterator[Folder]:
        return iter(list(self._folders.values()))

    def __len__(self) -> int:
        return len(self._folders)

    def add(self, folder: Folder) -> None:
        self._folders[uris.key(folder.uri)] = folder

    def remove(self, uri: str) -> Folder | None:
        return self._folders.pop(uris.key(uri), None)

    def projects(self) -> list[Project]:
        """Give the projects of all folders, each once."""
        found = {f.project.root: f.project for f in self if f.project is not None}
        return list(found.values())

    def of(self, path: Path) -> Folder | None:
        """Give the innermost folder that holds a file."""
        holding = [f for f in self if path == f.path or path.is_relative_to(f.path)]
        return max(holding, key=lambda f: len(f.path.parts), default=None)

    def named(self, uri: str | None) -> Project:
        """Give the project that a command is about.

        Raises:
            UsageError: Several are open and none was named (O8).
            NotFound: The folder is not open, or there is none.
        """
        if uri is not None:
            folder = self._folders.get(uris.key(uri))
            if folder is None:
                path = uris.folder_path(uri)
                folder = None if path is None else self.of(path)
            if folder is None:
                raise NotFound(f"{uri} is no folder of this workspace: {self._names()}")
            return _project(folder)
        projects = self.projects()
        if len(projects) == 1:
            return projects[0]
        if not len(self):
            raise NotFound("no folder is open: open the project's folder in the editor")
        if not projects:
            raise UsageError(next(iter(self)).why)
        raise UsageError(f"which folder? Name one of {self._names()}")

    def _names(self) -> str:
        return ", ".join(f.uri for f in self) or "none is open"


def _project(folder: Folder) -> Project:
    if folder.project is None:
        raise UsageError(folder.why)
    return folder.project
