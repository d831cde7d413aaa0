"""What a module's names are bound to while it is read, and a workflow that is still growing."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeAlias

from .expr import Call, Const, Text
from .facts import Imported, Placed
from .graph import (
    CaseSource,
    EdgeSource,
    ExitSource,
    MountSource,
    NodeSource,
    Target,
    TargetKind,
    WorkflowSource,
)


class Bound(NamedTuple):
    """Any other statement's binding: a class, a function, a constant."""

    placed: Placed


class Unclear:
    """A name whose value depends on what text does not settle."""


UNCLEAR: Final = Unclear()
NO_KEY: Final = Const((0, 0), None)
"""The key of a way that is no case."""


@dataclass(eq=False)
class Growing:
    """A workflow whose statements are still being read."""

    number: int
    variable: str
    call: Call
    placed: Placed
    nodes: list[NodeSource] = field(default_factory=list)
    mounts: list[MountSource] = field(default_factory=list)
    exits: list[ExitSource] = field(default_factory=list)
    edges: list[EdgeSource] = field(default_factory=list)
    parts: dict[str, NodeSource | MountSource] = field(default_factory=dict)
    opened: int | None = None
    """Where the first statement begins that makes it `open`."""

    def before(self, start: int) -> Growing:
        """Give what had been read of it when the statement at `start` was reached."""
        made = Growing(
            self.number,
            self.variable,
            self.call,
            self.placed,
            [each for each in self.nodes if each.span[0] < start],
            [each for each in self.mounts if each.span[0] < start],
            [each for each in self.exits if each.span[0] < start],
            [each for each in self.edges if each.span[0] < start],
        )
        made.parts = {name: part for name, part in self.parts.items() if part.span[0] < start}
        early = self.opened is not None and self.opened < start
        made.opened = self.opened if early else None
        return made

    def lose(self, start: int) -> None:
        """Note that a statement uses it where text cannot follow."""
        self.opened = start if self.opened is None else self.opened

    def add(self, part: NodeSource | MountSource) -> None:
        self.parts.setdefault(part.name, part)
        if isinstance(part, NodeSource):
            self.nodes.append(part)
        else:
            self.mounts.append(part)

    def done(self) -> WorkflowSource:
        """Give the finished workflow; texts that named a part further down now find it."""
        first = self.call.args[0] if self.call.args else self.call.keyword("name")
        edges = tuple(_settled(edge, self.parts) for edge in self.edges)
        return WorkflowSource(
            variable=self.variable,
            call=self.call,
            base=self.placed.start,
            span=self.placed.at(self.call.span),
            name=first.value if isinstance(first, Text) else None,
            name_span=self.placed.at(first.span if first is not None else self.call.span),
            nodes=tuple(self.nodes),
            mounts=tuple(self.mounts),
            exits=tuple(self.exits),
            edges=edges,
            open=self.opened is not None or self.call.open,
            parts=self.parts,
        )


class Made(NamedTuple):
    """A workflow, by its number among those of the file."""

    owner: int


class Owned(NamedTuple):
    """A node, mount or exit, and the number of the workflow that it belongs to."""

    owner: int
    part: NodeSource | MountSource | ExitSource


Value: TypeAlias = Made | Owned | Bound | Imported | Unclear


def _settled(edge: EdgeSource, parts: dict[str, NodeSource | MountSource]) -> EdgeSource:
    for case in edge.cases:
        if case.target.kind is TargetKind.TEXT and case.target.name in parts:
            break
    else:
        return edge
    cases = tuple(
        CaseSource(case.key, case.key_span, named(case.target, parts), case.span)
        for case in edge.cases
    )
    return edge._replace(cases=cases)


def named(target: Target, parts: dict[str, NodeSource | MountSource]) -> Target:
    part = parts.get(target.name)
    if target.kind is not TargetKind.TEXT or part is None:
        return target
    kind = TargetKind.NODE if isinstance(part, NodeSource) else TargetKind.MOUNT
    return Target(kind, target.name, target.span)
