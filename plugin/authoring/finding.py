"""From a symbol to what declares it, and to the files that may name it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from segue.session.workflow.source.module import Handle

from .mentions import Mention, Symbol, mention_at, mentions_of, symbol_of
from .opened import views_of
from .places import Places

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from segue.session.workflow.source.expr import Span
    from segue.session.workflow.source.graph import WorkflowSource
    from segue.session.workflow.source.module import Module

    from .mentions import Part
    from .opened import Opened


class Declared(NamedTuple):
    """Where a symbol is declared; `part` is None for a workflow."""

    module: Module
    workflow: WorkflowSource
    part: Part | None

    @property
    def span(self) -> Span:
        return self.workflow.name_span if self.part is None else self.part.name_span


class InFile(NamedTuple):
    """A file and the places in it that name a symbol."""

    path: Path
    places: Places
    module: Module
    mentions: list[Mention]


def named_at(opened: Opened, offset: int) -> Mention | None:
    """Give what is named at an offset of an open file."""
    return mention_at(opened.views, opened.module, offset)


def declared(opened: Opened, symbol: Symbol) -> Declared | None:
    """Find the declaration of a symbol, in this file or in another."""
    module = module_at(opened, symbol.path)
    workflow = module.workflow(symbol.workflow) if module is not None else None
    if module is None or workflow is None:
        return None
    if symbol.kind == "workflow":
        return Declared(module, workflow, None)
    every: list[Part] = [*workflow.nodes, *workflow.mounts, *workflow.exits]
    for part in every:
        kind = symbol_of(Handle(module, workflow, part)).kind
        if kind == symbol.kind and part.name == symbol.name and part.variable == symbol.variable:
            return Declared(module, workflow, part)
    return None


def everywhere(opened: Opened, symbol: Symbol) -> Iterator[InFile]:
    """Find every place that names a symbol, in the files of its folder and this one."""
    for path in _files(opened, symbol):
        module = module_at(opened, path)
        if module is None:
            continue
        found = mentions_of(views_of(module), module, symbol)
        if found:
            yield InFile(path, places_of(opened, module), module, found)


def module_at(opened: Opened, path: Path) -> Module | None:
    """Give the module of a file as this version of the open file sees it."""
    return opened.module if path == opened.path else opened.module.library.open(path)


def places_of(opened: Opened, module: Module) -> Places:
    if module is opened.module:
        return opened.places
    return Places(module.document.text.data, opened.encoding)


def _files(opened: Opened, symbol: Symbol) -> list[Path]:
    """Give the files that may name a symbol: its own, this one, and those beside it."""
    folder = symbol.path.parent
    try:
        beside = sorted(folder.glob("*.py"))
    except OSError:
        beside = []
    return list(dict.fromkeys([symbol.path, opened.path, *beside]))
