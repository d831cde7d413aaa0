"""The path that a run took: which steps, how often, how they stand, and by which ways."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

_MARKS: Final = {
    "ok": "✓",
    "failed": "✗",
    "timed_out": "✗",
    "cancelled": "✗",
    "ambiguous": "!",
}
_OPEN: Final = "▸"
"""A step that is under way or waits."""


@dataclass(frozen=True)
class Taken:
    """Marks by path (`✓`, `✓ ×2`, ...) and the ways that were taken."""

    marks: dict[str, str]
    ways: frozenset[tuple[str, str]]

    def went(self, source: str, target: str) -> bool:
        return (source, target) in self.ways


def taken(visits: Iterable[tuple[str, int, str]], *, ended: bool) -> Taken:
    """Work it out from the visits in their order: path, number of the visit, state."""
    marks: dict[str, str] = {}
    ways: set[tuple[str, str]] = set()
    before = ""
    last: tuple[str, int] | None = None
    for path, visit, state in visits:
        sign = _MARKS.get(state, _OPEN)
        marks[path] = f"{sign} ×{visit}" if visit > 1 else sign
        if last is not None and last != (path, visit):
            ways.add((before, path))
        before, last = path, (path, visit)
    if ended and last is not None:
        ways.add((before, ""))
    return Taken(marks, frozenset(ways))
