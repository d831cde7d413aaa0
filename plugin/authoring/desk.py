"""The workflow files that are open in the editor, each with its source model.

Only the loop changes a desk; others get versions. A version never changes, so whoever took one
may read it on any thread. `is_current` tells whether it is still what the editor shows: anything
else is stale and is not published.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .neighbours import Neighbours
from .opened import Opened
from .places import Encoding

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class Desk:
    """The open files by URI."""

    def __init__(self, encoding: Encoding = Encoding.UTF16) -> None:
        self.encoding = encoding
        self._by_uri: dict[str, Opened] = {}
        self.neighbours = Neighbours(self.at_path)

    def __iter__(self) -> Iterator[Opened]:
        return iter(list(self._by_uri.values()))

    def get(self, uri: str) -> Opened | None:
        return self._by_uri.get(uri)

    def at_path(self, path: Path) -> Opened | None:
        return next((each for each in self if each.path == path), None)

    def is_current(self, opened: Opened) -> bool:
        return self._by_uri.get(opened.uri) is opened

    def take(self, uri: str, path: Path, version: int, text: str) -> list[Opened]:
        """A file was opened or changed: give it and the others that rest on it, all anew."""
        data = text.encode("utf-8", "surrogatepass")
        old = self._by_uri.get(uri)
        if old is None:
            made = Opened(uri, path, version, data, self.encoding, self.neighbours)
        else:
            made = old.changed(data, version)
        self._by_uri[uri] = made
        return [made, *self.renew(path, but=uri)]

    def drop(self, uri: str) -> list[Opened]:
        """A file was closed: what is saved counts again."""
        closed = self._by_uri.pop(uri, None)
        return [] if closed is None else self.renew(closed.path, but=uri)

    def renew(self, path: Path, but: str = "") -> list[Opened]:
        """Make the open files new whose meaning rests on a file, and give them."""
        renewed: list[Opened] = []
        for each in self:
            if each.uri != but and (each.path == path or each.rests_on(path)):
                self._by_uri[each.uri] = each.again()
                renewed.append(self._by_uri[each.uri])
        return renewed
