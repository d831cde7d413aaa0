"""The files beside an open one: what is open before what is saved, each parsed once a change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from segue.session.workflow.source.document import Document
from segue.session.workflow.source.library import Library
from segue.session.workflow.source.module import Module

from ..checking import BUILTINS, builtin_names

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from .opened import Opened

_KEPT = 500
"""Saved files whose syntax is kept."""


class Neighbours:
    """Gives parsed documents by path. Shared by every version of every open file."""

    def __init__(self, opened: Callable[[Path], Opened | None]) -> None:
        self._opened = opened
        self._saved: dict[Path, tuple[tuple[int, int, int], Document]] = {}

    def library(self) -> Library:
        """Give a fresh look at the files beside a document: what it sees never changes."""
        return _Look(self)

    def document(self, path: Path) -> Document | None:
        """Give a file as it is now; the syntax of one that has not changed is not read again."""
        found = self._opened(path)
        if found is not None:
            return found.document
        try:
            stat = path.stat()
            seen = (stat.st_mtime_ns, stat.st_size, stat.st_ino)
            kept = self._saved.get(path)
            if kept is not None and kept[0] == seen:
                return kept[1]
            if not path.is_file():
                return None
            document = Document.read(path, path.read_bytes())
        except (OSError, ValueError):
            return None
        while len(self._saved) >= _KEPT:
            del self._saved[next(iter(self._saved))]
        self._saved[path] = (seen, document)
        return document


class _Look(Library):
    """A library whose documents come from the neighbours."""

    def __init__(self, neighbours: Neighbours) -> None:
        super().__init__({"segue.builtins": BUILTINS}, builtins=builtin_names())
        self._neighbours = neighbours

    def open(self, path: Path) -> Module | None:
        if path not in self._modules:
            document = self._neighbours.document(path)
            self._modules[path] = None if document is None else Module(document, self)
        return self._modules[path]
