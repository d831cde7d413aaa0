"""The desk of a connection: its open workflow files with their models, and who hears of changes.

`answer` is how a feature works: it takes a version on the loop, works on a thread, and gives
nothing for a version that the editor has left behind.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Concatenate, Final, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

from pygls.exceptions import JsonRpcException

from ...authoring.desk import Desk
from ...authoring.places import Encoding
from .. import uris

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...authoring.opened import Opened
    from ..documents import OpenDocument
    from ..server import SegueServer

P = ParamSpec("P")
T = TypeVar("T")
CONTENT_MODIFIED: Final = -32801


@dataclass
class Authoring:
    """What one connection's editor help keeps."""

    desk: Desk
    told: dict[str, Opened] = field(default_factory=dict)
    """The version whose findings were published last, by URI."""
    telling: set[str] = field(default_factory=set)
    """URIs whose findings are being worked out."""
    live: Any = None
    watching: bool = False


_KEPT: WeakKeyDictionary[SegueServer, Authoring] = WeakKeyDictionary()


def authoring(server: SegueServer) -> Authoring:
    kept = _KEPT.get(server)
    if kept is None:
        encoding = Encoding.of(server.workspace.position_encoding)
        kept = _KEPT[server] = Authoring(Desk(encoding))
    return kept


def opened(server: SegueServer, uri: str) -> Opened | None:
    """Give the version of a workflow file that a request is about, None for any other file.

    Raises:
        JsonRpcException: The file was changed since the request came.
    """
    document = server.documents.arrived(uri)
    if document is None:
        return None
    if not server.documents.is_current(document):
        raise stale()
    return authoring(server).desk.get(uris.key(uri))


def stale() -> JsonRpcException:
    """The answer would be about a version that the editor shows no more: it asks again."""
    return JsonRpcException("the file was changed meanwhile", CONTENT_MODIFIED)


async def answer(
    server: SegueServer,
    uri: str,
    work: Callable[Concatenate[Opened, P], T],
    *args: P.args,
    **kwargs: P.kwargs,
) -> T | None:
    """Answer a request about a file; None where it is no workflow file.

    None also where the file was changed meanwhile: some editors show the protocol's error for
    that, and the next request is on its way anyway.
    """
    try:
        return await demand(server, uri, work, *args, **kwargs)
    except JsonRpcException as error:
        if error.code != CONTENT_MODIFIED:
            raise
        return None


async def demand(
    server: SegueServer,
    uri: str,
    work: Callable[Concatenate[Opened, P], T],
    *args: P.args,
    **kwargs: P.kwargs,
) -> T | None:
    """Answer a request whose answer changes files: for this version, or not at all.

    Raises:
        JsonRpcException: The file was changed meanwhile.
    """
    version = opened(server, uri)
    if version is None:
        return None
    result = await server.off("quick", work, version, *args, **kwargs)
    now = authoring(server).desk.get(version.uri)
    if now is None or now.data is not version.data:
        raise stale()
    return result


def changed(server: SegueServer, document: OpenDocument, gone: bool) -> None:
    """A workflow file was opened, changed or closed (called on the loop, in order)."""
    from . import diagnostics, live, watched_files

    desk, key = authoring(server).desk, uris.key(document.uri)
    if gone:
        renewed = desk.drop(key)
        diagnostics.forget(server, document.uri)
    else:
        renewed = desk.take(key, document.path, document.version, document.text)
    diagnostics.tell(server, renewed, typed=None if gone else key)
    live.follow(server)
    watched_files.watch(server)
