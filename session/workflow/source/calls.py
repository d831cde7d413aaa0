"""The callbacks of a node or a mount: the function itself, and those among its settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

from .expr import Attr, Call, Const, Expr, Lambda, Name, Unknown
from .facts import Def, Placed
from .graph import Callback

if TYPE_CHECKING:
    from collections.abc import Callable

    Lookup: TypeAlias = "Callable[[str], Placed | None]"

ROLES: Final = {
    "timeout": "timeout",
    "seconds": "seconds",
    "until": "until",
    "parse": "parse",
    "progress": "progress",
}
"""Settings that may be functions. `parse` and `progress` take no context."""


def callback(role: str, placed: Placed, fact: Def) -> Callback:
    start, name, params = placed.start, fact.name_span, fact.params
    first, last = params.span
    return Callback(
        role,
        (start + name[0], start + name[1]),
        params,
        (start + first, start + last),
        fact.body,
        start,
        fact.returns,
    )


def node_callbacks(maker: Call | None, placed: Placed, lookup: Lookup) -> tuple[Callback, ...]:
    """Give the functions among a node's settings."""
    if maker is None:
        return ()
    found: list[Callback] = []
    for each in maker.keywords:
        if each.name in ROLES:
            made = _given(ROLES[each.name], each.value, placed, lookup)
            if made is not None:
                found.append(made)
    return tuple(found)


def mount_input(call: Call, placed: Placed, lookup: Lookup) -> tuple[Callback, ...]:
    given = call.keyword("input")
    made = _given("input", given, placed, lookup) if given is not None else None
    return (made,) if made is not None else ()


def _given(role: str, expr: Expr, placed: Placed, lookup: Lookup) -> Callback | None:
    """Read a setting that may be a function; constants are none."""
    span = placed.at(expr.span)
    match expr:
        case Lambda(params=params, body=body):
            return Callback(role, span, params, placed.at(params.span), body, placed.start)
        case Name(id=name):
            found = lookup(name)
            if found is not None and isinstance(found.fact, Def):
                made = callback(role, found, found.fact)
                return Callback(
                    role,
                    span,
                    made.params,
                    made.params_span,
                    made.body,
                    made.base,
                    made.returns,
                )
            return None if found is not None else _unseen(role, span, placed)
        case Attr() | Call() | Unknown():
            return _unseen(role, span, placed)
        case Const():
            return None
        case _:
            return None


def _unseen(role: str, span: tuple[int, int], placed: Placed) -> Callback:
    return Callback(role, span, None, span, None, placed.start)
