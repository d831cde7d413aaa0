"""The workflow as its text says it: nodes, mounts, exits and edges, each with its range.

Ranges are offsets into the document. Nothing here looks into another file; `Target.kind` and
`Known.open` say what this file alone does not settle.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .expr import Call, Expr, Span
    from .facts import Body, Params

SETTINGS: Final[Mapping[str, tuple[str, ...]]] = {
    "agent": ("output", "status", "timeout"),
    "assistant": ("max_chars", "status", "timeout"),
    "decision": ("choices", "status", "timeout"),
    "compute": ("status", "timeout"),
    "action": ("effect", "status", "timeout"),
    "shell": ("effect", "parse", "progress", "exit_codes", "env", "status", "timeout"),
    "wait": ("seconds", "until", "status"),
    "notify": (),
    "checkpoint": ("output", "status"),
    "human_decision": ("choices", "text", "timeout", "on_timeout", "status"),
}
"""What each maker of a node takes; a test holds this equal to the author's API."""
BARE: Final = frozenset(["compute", "notify"])
"""Makers that decorate without parentheses."""


class Callback(NamedTuple):
    """A function that Segue will call, as far as this file shows it."""

    role: str
    span: Span
    params: Params | None
    params_span: Span
    body: Body | None
    base: int
    """What the body's spans are relative to."""
    returns: Expr | None = None


class NodeSource(NamedTuple):
    """One node. `kind` is the method that made it."""

    name: str
    kind: str
    name_span: Span
    span: Span
    variable: str
    maker: Call | None
    """The call that made it, with its settings; None for a bare decorator."""
    maker_span: Span
    base: int
    callbacks: tuple[Callback, ...]
    doc: str = ""

    def setting(self, name: str) -> Expr | None:
        return self.maker.keyword(name) if self.maker is not None else None

    @property
    def open(self) -> bool:
        """Whether settings come from where text cannot follow."""
        return self.maker is not None and self.maker.open


class MountSource(NamedTuple):
    """Another workflow under a name; `workflow` is the expression that names it."""

    name: str
    name_span: Span
    span: Span
    variable: str
    workflow: Expr | None
    workflow_span: Span
    callbacks: tuple[Callback, ...]


class ExitSource(NamedTuple):
    name: str
    name_span: Span
    span: Span
    variable: str
    node: Target
    output: Expr | None
    base: int


class TargetKind(StrEnum):
    NODE = "node"
    MOUNT = "mount"
    PORT = "port"
    END = "end"
    TEXT = "text"
    """A name in quotes that nothing here bears."""
    MISSING = "missing"
    """A Python name that nothing binds."""
    LATER = "later"
    """A Python name that is bound further down."""
    WRONG = "wrong"
    """Something that is not a node."""
    ELSEWHERE = "elsewhere"
    """A node of another workflow."""
    UNCLEAR = "unclear"


class Target(NamedTuple):
    """One end of an edge. For a port, `name` is the mount's and `exit` names the exit."""

    kind: TargetKind
    name: str
    span: Span
    exit: Expr | None = None
    exit_span: Span = (0, 0)


class CaseSource(NamedTuple):
    key: Expr
    key_span: Span
    target: Target
    span: Span


class EdgeSource(NamedTuple):
    """One `edge`, `switch` or `on_failure`. `cases` of the others have one entry."""

    form: str
    source: Target
    on: Expr | None
    on_span: Span
    cases: tuple[CaseSource, ...]
    cases_span: Span
    open: bool
    """Cases come from where text cannot follow."""
    span: Span


@dataclass(frozen=True)
class WorkflowSource:
    """One workflow of a module."""

    variable: str
    call: Call
    base: int
    span: Span
    name: str | None
    name_span: Span
    nodes: tuple[NodeSource, ...]
    mounts: tuple[MountSource, ...]
    exits: tuple[ExitSource, ...]
    edges: tuple[EdgeSource, ...]
    open: bool
    """Used where text cannot follow: there may be more nodes or edges."""
    parts: Mapping[str, NodeSource | MountSource] = field(repr=False, default_factory=dict)

    def setting(self, name: str) -> Expr | None:
        return self.call.keyword(name)

    def at(self, expr: Expr) -> Span:
        """Give the range of a part of the workflow's own call."""
        return self.base + expr.span[0], self.base + expr.span[1]
