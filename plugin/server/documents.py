"""The workflow files that the editor has open: one frozen document per version.

Changed only on the loop, in the order the client sent. A handler works on the document it was
given, and asks `is_current` before it publishes anything that nobody asked for.
"""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from ..authoring.places import Encoding, Places
from . import uris
from .registry import LISTENERS, load

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from lsprotocol import types

    from .server import SegueServer


@dataclass(frozen=True, slots=True)
class OpenDocument:
    """One version of an open file.

    Attributes:
        uri: As the client spells it; answers use this spelling.
        path: Where it is, or would be saved.
        version: The client's number.
        text: All of it.
    """

    uri: str
    path: Path
    version: int
    text: str


_ARRIVED: ContextVar[Mapping[str, OpenDocument]] = ContextVar(
    "arrived", default=MappingProxyType({})
)


class Documents:
    """Open workflow files by URI."""

    def __init__(self, server: SegueServer) -> None:
        self._server = server
        # Never changed in place: a request keeps the state that it came in (`mark`).
        self._open: dict[str, OpenDocument] = {}

    def mark(self) -> None:
        """A request has come: `arrived` is about now, for whatever is done on its behalf."""
        _ARRIVED.set(self._open)

    def arrived(self, uri: str) -> OpenDocument | None:
        """Give the version that was open when the request came that is being answered."""
        return _ARRIVED.get().get(uris.key(uri))

    def __iter__(self) -> Iterator[OpenDocument]:
        return iter(list(self._open.values()))

    def get(self, uri: str) -> OpenDocument | None:
        """Give the current version of an open workflow file, None for any other file."""
        return self._open.get(uris.key(uri))

    def at(self, path: Path) -> OpenDocument | None:
        """Give what is open of a file, which comes before what is saved."""
        return self._open.get(uris.uri_of(path))

    def is_current(self, document: OpenDocument) -> bool:
        """Whether this is still what the editor shows."""
        return self._open.get(uris.key(document.uri)) is document

    def put(self, uri: str, version: int | None, text: str) -> None:
        """A file was opened or changed."""
        path = uris.folder_path(uri)
        if path is None or not is_workflow(path):
            return
        document = OpenDocument(uri, path, version or 0, text)
        self._open = {**self._open, uris.key(uri): document}
        self._tell(document, gone=False)

    def change(
        self,
        uri: str,
        version: int,
        changes: Iterable[types.TextDocumentContentChangeEvent],
        encoding: Encoding,
    ) -> None:
        """A file was changed; pygls' own copy takes form feeds for line ends, so not from there."""
        old = self.get(uri)
        if old is not None:
            self.put(uri, version, applied(old.text, changes, encoding))

    def drop(self, uri: str) -> None:
        """A file was closed."""
        document = self.get(uri)
        if document is not None:
            self._open = {k: d for k, d in self._open.items() if d is not document}
            self._tell(document, gone=True)

    def _tell(self, document: OpenDocument, *, gone: bool) -> None:
        for module in LISTENERS:
            load(module).changed(self._server, document, gone)


@cache
def is_workflow(path: Path) -> bool:
    """Whether a file lies where workflows do: `.segue/workflows/*.py`, or ships with Segue."""
    if path.suffix != ".py":
        return False
    folder = path.parent
    if folder.name == "workflows" and folder.parent.name == ".segue":
        return True
    return folder == Path(__file__).resolve().parents[2] / "builtins"


def applied(
    text: str, changes: Iterable[types.TextDocumentContentChangeEvent], encoding: Encoding
) -> str:
    """Give a text after a client's changes, one after the other."""
    data = text.encode("utf-8", "surrogatepass")
    for change in changes:
        new = change.text.encode("utf-8", "surrogatepass")
        given = getattr(change, "range", None)
        if given is None:
            data = new
            continue
        places = Places(data, encoding)
        start = places.offset(given.start.line, given.start.character)
        end = places.offset(given.end.line, given.end.character)
        data = data[:start] + new + data[max(start, end) :]
    return data.decode("utf-8", "surrogatepass")
