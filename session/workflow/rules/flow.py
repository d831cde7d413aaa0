"""Rules about the whole graph: every node can be reached, and from each a run can end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..findings import Code
from .view import END

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ..findings import Finding
    from .view import View


def check(view: View) -> Iterator[Finding]:
    if not view.settled:
        return
    reached = closure([view.start], view.onward)
    ending = closure([END], _backward(view.onward))
    for part in view.parts:
        if part.name not in reached:
            message = f"nothing leads to '{part.name}': add an edge to it, or remove it"
            yield view.finding(Code.UNREACHABLE, message, part.name_span, part.name)
        elif part.name not in ending:
            message = f"no path from '{part.name}' ends the run: add a way out of the loop"
            yield view.finding(Code.NO_END, message, part.name_span, part.name)


def closure(start: Iterable[str], onward: Mapping[str, Iterable[str]]) -> set[str]:
    """Give what can be reached, the start included."""
    seen = set(start)
    todo = list(seen)
    while todo:
        for name in onward.get(todo.pop(), ()):
            if name not in seen:
                seen.add(name)
                todo.append(name)
    return seen


def _backward(onward: Mapping[str, Iterable[str]]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for name, targets in onward.items():
        for target in targets:
            found.setdefault(target, set()).add(name)
    return found
