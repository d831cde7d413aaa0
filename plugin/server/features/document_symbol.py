"""textDocument/documentSymbol: workflows with their nodes, mounts and exits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from segue.session.workflow.source.graph import ExitSource, MountSource, NodeSource

from . import encode, sources

if TYPE_CHECKING:
    from segue.session.workflow.source.graph import WorkflowSource

    from ...authoring.mentions import Part
    from ...authoring.opened import Opened
    from ...authoring.places import Places
    from ..server import SegueServer


async def handle(
    server: SegueServer, params: types.DocumentSymbolParams
) -> list[types.DocumentSymbol] | list[types.SymbolInformation] | None:
    uri = params.text_document.uri
    if server.can("text_document", "document_symbol", "hierarchical_document_symbol_support"):
        return await sources.answer(server, uri, document_symbols)
    return await sources.answer(server, uri, flat_symbols, uri)


def document_symbols(opened: Opened) -> list[types.DocumentSymbol]:
    return [_workflow(opened.places, each) for each in opened.module.workflows]


def flat_symbols(opened: Opened, uri: str) -> list[types.SymbolInformation]:
    """Give the same for clients without a tree."""
    return [
        types.SymbolInformation(
            location=types.Location(uri, encode.range_of(opened.places, part.span)),
            name=part.name,
            kind=kind_of(part),
            container_name=workflow.name,
        )
        for workflow in opened.module.workflows
        for part in parts_of(workflow)
    ]


def parts_of(workflow: WorkflowSource) -> list[Part]:
    every: list[Part] = [*workflow.nodes, *workflow.mounts, *workflow.exits]
    return sorted(every, key=lambda part: part.span)


def kind_of(part: Part) -> types.SymbolKind:
    match part:
        case NodeSource():
            return types.SymbolKind.Function
        case MountSource():
            return types.SymbolKind.Module
        case ExitSource():
            return types.SymbolKind.Event


def _workflow(places: Places, workflow: WorkflowSource) -> types.DocumentSymbol:
    parts = parts_of(workflow)
    start = min([workflow.span[0], workflow.base, *(part.span[0] for part in parts)])
    end = max([workflow.span[1], *(part.span[1] for part in parts)])
    return types.DocumentSymbol(
        name=workflow.name or workflow.variable or "workflow",
        detail="workflow",
        kind=types.SymbolKind.Class,
        range=encode.range_of(places, (start, end)),
        selection_range=encode.range_of(places, workflow.name_span),
        children=[_part(places, part) for part in parts],
    )


def _part(places: Places, part: Part) -> types.DocumentSymbol:
    detail = part.kind if isinstance(part, NodeSource) else type(part).__name__[:-6].lower()
    return types.DocumentSymbol(
        name=part.name or "?",
        detail=detail,
        kind=kind_of(part),
        range=encode.range_of(places, part.span),
        selection_range=encode.range_of(places, part.name_span),
    )
