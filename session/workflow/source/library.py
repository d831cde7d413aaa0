"""Finds the files that a workflow's imports name: beside it, or in a package that is known.

It reads text only. What cannot be found is simply not known, and says nothing about the import:
an installed package is not searched.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from .document import Document
from .module import Module

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def from_disk(path: Path) -> bytes | None:
    """Give a file's bytes, None where there is none to read."""
    try:
        return path.read_bytes() if path.is_file() else None
    except (OSError, ValueError):
        return None


class Library:
    """The files of one look at a project; each is read once.

    Args:
        packages: Folders of packages by dotted name, such as `segue.builtins`.
        read: Gives a file's bytes; an editor gives what is open before what is saved.
        builtins: Names of the workflows that ship with Segue.
    """

    def __init__(
        self,
        packages: Mapping[str, Path] | None = None,
        read: Callable[[Path], bytes | None] = from_disk,
        builtins: frozenset[str] = frozenset(),
    ) -> None:
        self.packages = dict(packages or {})
        self.builtins = builtins
        self._read = read
        self._modules: dict[Path, Module | None] = {}

    def put(self, document: Document) -> Module:
        """Take a document as what its file says, and give its module."""
        module = Module(document, self, self._modules.get(document.path))
        self._modules[document.path] = module
        return module

    def open(self, path: Path) -> Module | None:
        """Read the module in a file."""
        if path not in self._modules:
            data = self._read(path)
            found = None if data is None else Module(Document.read(path, data), self)
            self._modules[path] = found
        return self._modules[path]

    def has(self, path: Path) -> bool:
        """Whether anybody asked for a file, be it there or not."""
        return path in self._modules

    def find(self, name: str, beside: Path) -> Module | None:
        """Find the module that an import in the file `beside` means."""
        path = self._path(name, beside)
        return None if path is None else self.open(path)

    def _path(self, name: str, beside: Path) -> Path | None:
        if name.startswith("."):
            return _file(beside.parent, name[1:])
        package, _, last = name.rpartition(".")
        if not package:
            return _file(beside.parent, last)
        folder = self.packages.get(package)
        return None if folder is None else _file(folder, last)


def _file(folder: Path, name: str) -> Path | None:
    return folder / f"{name}.py" if name.isidentifier() else None
