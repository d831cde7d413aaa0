"""workspace/symbol: workflows and nodes of every folder, found by the letters typed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lsprotocol import types

from segue.session.workflow.discovery import workflows_folder

from ...authoring.places import Places
from .. import uris
from . import encode
from .document_symbol import kind_of, parts_of
from .sources import authoring

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from segue.session.workflow.source.module import Module

    from ...authoring.desk import Desk
    from ..server import SegueServer

_MOST: Final = 500
"""As many as anybody scrolls through (S4)."""


async def handle(
    server: SegueServer, params: types.WorkspaceSymbolParams
) -> list[types.WorkspaceSymbol]:
    await server.settled()
    roots = [project.root for project in server.folders.projects()]
    return await server.off("quick", symbols, authoring(server).desk, roots, params.query)


def symbols(desk: Desk, roots: list[Path], query: str) -> list[types.WorkspaceSymbol]:
    found: list[types.WorkspaceSymbol] = []
    library = desk.neighbours.library()
    for root in roots:
        for path in sorted(workflows_folder(root).glob("*.py")):
            module = library.open(path)
            if module is not None and len(found) < _MOST:
                found += _of_module(desk, module, query)
    return found[:_MOST]


def _of_module(desk: Desk, module: Module, query: str) -> Iterator[types.WorkspaceSymbol]:
    path = module.document.path
    opened = desk.at_path(path)
    uri = uris.uri_of(path) if opened is None else opened.uri
    places = Places(module.document.text.data, desk.encoding)
    for workflow in module.workflows:
        name = workflow.name or workflow.variable
        if matches(query, name):
            where = types.Location(uri, encode.range_of(places, workflow.name_span))
            yield types.WorkspaceSymbol(where, name, types.SymbolKind.Class)
        for part in parts_of(workflow):
            if matches(query, part.name):
                where = types.Location(uri, encode.range_of(places, part.name_span))
                yield types.WorkspaceSymbol(where, part.name, kind_of(part), container_name=name)


def matches(query: str, name: str) -> bool:
    """Whether the letters of the query stand in the name in their order."""
    letters = iter(name.lower())
    return all(each in letters for each in query.lower() if not each.isspace())
