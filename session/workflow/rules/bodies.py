"""What a callback does, the helper functions of its file included.

A helper that is given the context reads on the callback's behalf. Where the context goes to
something that this file does not show, anything may be read.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from ..source.facts import Def
from ..source.module import Here

if TYPE_CHECKING:
    from ..source.facts import Body, Called, Read
    from ..source.graph import Callback
    from ..source.module import Module

_MOST: Final = 50


@dataclass
class Deep:
    """The sum of a callback and its helpers. `known` is false where more may happen."""

    reads: list[Read] = field(default_factory=list)
    calls: list[tuple[Called, int]] = field(default_factory=list)
    """Calls, each with the offset that its span is relative to."""
    input: bool = False
    visit: bool = False
    latest: bool = False
    known: bool = True

    def add(self, body: Body, base: int) -> None:
        self.reads += body.reads
        self.calls += [(call, base) for call in body.calls]
        self.input = self.input or body.input
        self.visit = self.visit or body.visit
        self.latest = self.latest or any(read.latest for read in body.reads)
        self.known = self.known and not body.escapes


def deep(module: Module, callback: Callback) -> Deep:
    """Add up a callback and every helper that it gives its context to."""
    found = Deep()
    if callback.body is None:
        found.known = False
        return found
    found.add(callback.body, callback.base)
    params = callback.params
    if params is not None and params.most is None and not params.first:
        found.known = False  # `*args`: the context has no name to look for
    todo, seen = set(callback.body.passed_to), set[str]()
    while todo and len(seen) < _MOST:
        name = todo.pop()
        seen.add(name)
        helper = module.of_name(name) if "." not in name else None
        if not isinstance(helper, Here) or not isinstance(helper.fact, Def):
            found.known = False
        elif helper.module is not module:
            # Its reads name handles of its own file.
            found.known = False
        else:
            found.add(helper.fact.body, helper.placed.start)
            todo |= helper.fact.body.passed_to - seen
    return found
