"""Expressions as far as rules care for them: immutable, and free of absolute positions.

A span is relative to the start of the top-level statement, so that a statement that only
moved keeps its expressions. `Unknown` is any form that text alone does not settle; it keeps
the names inside, because a workflow that is used there may have been changed there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from .facts import Body, Params

Span: TypeAlias = tuple[int, int]


class Text(NamedTuple):
    span: Span
    value: str


class Const(NamedTuple):
    """None, a truth value or a number."""

    span: Span
    value: bool | int | float | None


class Name(NamedTuple):
    span: Span
    id: str


class Attr(NamedTuple):
    span: Span
    base: Expr
    name: str
    name_span: Span


class Keyword(NamedTuple):
    span: Span
    name: str
    name_span: Span
    value: Expr


class Call(NamedTuple):
    """A call; `open` says that `*` or `**` brings arguments that text does not show."""

    span: Span
    fn: Expr
    args: tuple[Expr, ...]
    keywords: tuple[Keyword, ...]
    open: bool

    def keyword(self, name: str) -> Expr | None:
        for each in self.keywords:
            if each.name == name:
                return each.value
        return None


class Pair(NamedTuple):
    span: Span
    key: Expr
    value: Expr


class Mapping(NamedTuple):
    """A dict display; `open` says that a `**` brings pairs that text does not show."""

    span: Span
    pairs: tuple[Pair, ...]
    open: bool


class Items(NamedTuple):
    """A list, tuple or set display."""

    span: Span
    items: tuple[Expr, ...]
    open: bool


class Subscript(NamedTuple):
    span: Span
    base: Expr
    items: tuple[Expr, ...]


class Either(NamedTuple):
    """`left | right`, as in annotations."""

    span: Span
    left: Expr
    right: Expr


class Lambda(NamedTuple):
    span: Span
    params: Params
    body: Body


class Unknown(NamedTuple):
    span: Span
    names: frozenset[str]


Expr: TypeAlias = (
    Text | Const | Name | Attr | Call | Mapping | Items | Subscript | Either | Lambda | Unknown
)


def names_in(expr: Expr) -> set[str]:
    """Give every name that the expression mentions."""
    found: set[str] = set()
    stack: list[Expr] = [expr]
    while stack:
        each = stack.pop()
        match each:
            case Name(id=name):
                found.add(name)
            case Unknown(names=names):
                found |= names
            case Lambda(body=body):
                found |= body.names
            case _:
                stack.extend(_parts(each))
    return found


def _parts(expr: Expr) -> tuple[Expr, ...]:
    match expr:
        case Attr(base=base):
            return (base,)
        case Call():
            return (expr.fn, *expr.args, *(each.value for each in expr.keywords))
        case Mapping(pairs=pairs):
            return tuple(part for pair in pairs for part in (pair.key, pair.value))
        case Items(items=items):
            return items
        case Subscript():
            return (expr.base, *expr.items)
        case Either():
            return (expr.left, expr.right)
        case _:
            return ()
