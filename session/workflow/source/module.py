"""One file with its workflows, and what its names mean, in this file or in those it imports."""

from __future__ import annotations

import builtins
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, TypeAlias

from .assemble import Assembly
from .bindings import Bound, Made, Owned, Unclear
from .expr import Attr, Expr, Name
from .facts import Assign, Class, Def, Imported, Placed

if TYPE_CHECKING:
    from .bindings import Value
    from .document import Document
    from .graph import ExitSource, MountSource, NodeSource, WorkflowSource
    from .library import Library

_HOPS: Final = 12
"""Imports and aliases that are followed; more of them is a circle."""


@dataclass(frozen=True, slots=True)
class Here:
    """A class, function or constant, and the module that it is in."""

    module: Module
    placed: Placed

    @property
    def fact(self) -> object:
        return self.placed.fact


@dataclass(frozen=True, slots=True)
class Handle:
    """A workflow, or a part of one, and the module that it is in."""

    module: Module
    workflow: WorkflowSource
    part: NodeSource | MountSource | ExitSource | None = None


@dataclass(frozen=True, slots=True)
class Outside:
    """Something of a package: only its dotted name is known."""

    name: str


@dataclass(frozen=True, slots=True)
class Package:
    """A module that was imported as a whole and whose text is known."""

    module: Module


Meaning: TypeAlias = Here | Handle | Outside | Package | None
"""None where text does not settle it."""


class Module:
    """A document's workflows and names. It never changes; a new version is a new module.

    Args:
        document: The text that it is made of.
        library: Where its imports are found.
        earlier: The version before: what stands in front of the edit is not read again.
    """

    def __init__(self, document: Document, library: Library, earlier: Module | None = None) -> None:
        self.document = document
        self.library = library
        self._assembly = Assembly(document)
        self.workflows = self._assembly.run(earlier._assembly if earlier is not None else None)
        self._meanings: dict[str, Meaning] = {}

    @property
    def names(self) -> dict[str, Value]:
        return self._assembly.names

    @cached_property
    def damaged(self) -> bool:
        """Whether broken text may hide statements: absence then proves nothing."""
        return any(getattr(each.fact, "broken", False) for each in self.document.statements)

    def workflow(self, variable: str) -> WorkflowSource | None:
        return next((each for each in self.workflows if each.variable == variable), None)

    def meaning(self, expr: Expr, hops: int = 0) -> Meaning:
        """Say what a name or a dotted name stands for, once the module is loaded."""
        match expr:
            case Name(id=name):
                return self.of_name(name, hops)
            case Attr(base=base, name=name):
                match self.meaning(base, hops):
                    case Outside(name=outer):
                        return Outside(f"{outer}.{name}")
                    case Package(module=module):
                        return module.of_name(name, hops + 1)
                    case _:
                        return None
            case _:
                return None

    def of_name(self, name: str, hops: int = 0) -> Meaning:
        if name not in self._meanings:
            if hops > _HOPS:
                return None
            self._meanings[name] = self._of_name(name, hops)
        return self._meanings[name]

    def _of_name(self, name: str, hops: int) -> Meaning:
        value = self.names.get(name)
        match value:
            case None:
                known = hasattr(builtins, name) and not self.document.stars
                return Outside(f"builtins.{name}") if known else None
            case Imported():
                return self._imported(value, hops)
            case Made(owner=owner):
                return Handle(self, self.workflows[owner])
            case Owned(owner=owner, part=part):
                return Handle(self, self.workflows[owner], part)
            case Bound(placed=placed):
                fact = placed.fact
                if isinstance(fact, Assign) and isinstance(fact.value, Name | Attr):
                    return self.meaning(fact.value, hops + 1) or Here(self, placed)
                return Here(self, placed) if isinstance(fact, Assign | Class | Def) else None
            case Unclear():
                return None

    def _imported(self, value: Imported, hops: int) -> Meaning:
        found = self.library.find(value.module, self.document.path)
        if found is None or found is self:
            dotted = f"{value.module}.{value.attr}" if value.attr else value.module
            return Outside(dotted)
        return found.of_name(value.attr, hops + 1) if value.attr else Package(found)

    def called(self, dotted: str) -> str:
        """Give the full name of a function that is called as `dotted` in this module."""
        first, *rest = dotted.split(".")
        meaning = self.of_name(first)
        return ".".join([meaning.name, *rest]) if isinstance(meaning, Outside) else ""
