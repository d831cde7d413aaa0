"""What one top-level statement says. Facts are immutable and know no absolute position.

Equal text gives equal facts, so after an edit only the statements whose text changed are read
again; `Placed` says where a statement now stands.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from .expr import Call, Expr, Span


class Params(NamedTuple):
    """A callback's parameters, as far as one positional argument is concerned."""

    span: Span
    first: str
    required: int
    most: int | None
    keyword_only: tuple[str, ...]
    """Required ones, which nobody would pass."""


class Read(NamedTuple):
    """`ctx.output(source)` or `ctx.latest(source, ...)` in a callback."""

    span: Span
    latest: bool
    source: Expr


class Called(NamedTuple):
    """A call of a dotted name in a callback."""

    span: Span
    name: str


class Body(NamedTuple):
    """What a callback does with its context and what it calls."""

    reads: tuple[Read, ...]
    input: bool
    visit: bool
    passed_to: frozenset[str]
    """Functions that are given the context."""
    escapes: bool
    """The context goes where text cannot follow: it may be used for anything."""
    calls: tuple[Called, ...]
    names: frozenset[str]


class Import(NamedTuple):
    names: tuple[Imported, ...]
    star: bool


class Imported(NamedTuple):
    """`from module import attr as local`; no `attr` where the module itself is bound."""

    span: Span
    local: str
    module: str
    attr: str


class Assign(NamedTuple):
    name: str
    name_span: Span
    value: Expr
    annotation: Expr | None


class Act(NamedTuple):
    """A call that stands alone."""

    call: Call


class Def(NamedTuple):
    name: str
    name_span: Span
    decorators: tuple[Expr, ...]
    params: Params
    returns: Expr | None
    body: Body
    doc: str


class Field(NamedTuple):
    """`name: annotation = default` in a class."""

    span: Span
    name: str
    annotation: Expr
    default: Expr | None


class Member(NamedTuple):
    """`NAME = value` in a class: an Enum's member."""

    span: Span
    name: str
    value: Expr


class Class(NamedTuple):
    name: str
    name_span: Span
    decorators: tuple[Expr, ...]
    bases: tuple[Expr, ...]
    fields: tuple[Field, ...]
    members: tuple[Member, ...]
    others: frozenset[str]
    """Methods, properties and whatever else the body binds."""
    doc: str


class Doc(NamedTuple):
    """A text that stands alone: the module's docstring where it comes first."""

    value: str


class Other(NamedTuple):
    """A statement that text does not settle: the names it mentions and those it may bind."""

    names: frozenset[str]
    binds: frozenset[str]
    broken: bool


class Nothing(NamedTuple):
    """A statement that cannot matter: `pass`, a comment, the `__main__` block."""


Fact: TypeAlias = Import | Assign | Act | Def | Class | Doc | Other | Nothing


class Placed(NamedTuple):
    """A statement's facts and where it stands in this version of the file."""

    start: int
    end: int
    fact: Fact

    def at(self, span: Span) -> Span:
        """Give the absolute range of a part of the statement."""
        start = self.start
        return start + span[0], start + span[1]
