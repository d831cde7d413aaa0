"""Where things go: the order of boxes, and which lane a way beside them takes.

Boxes stand in one column. A way to the next box goes straight down; one that skips boxes takes
a lane on the right, one that goes back a lane on the left. Ways to the same box share a lane.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from segue.session.workflow.chart import END, UNKNOWN
from segue.session.workflow.rules.components import ordered

if TYPE_CHECKING:
    from collections.abc import Iterable

    from segue.session.workflow.chart import Chart, Way


def order(chart: Chart) -> list[str]:
    """Give the steps so that most ways lead down: what follows a step comes soon after it.

    Of two branches the one that comes back stands first, beside its loop; steps that nothing
    leads to come last, in the order of the text.
    """
    loop = _loops(chart)
    found: list[str] = []
    seen: set[str] = set()
    for root in (chart.start, *chart.steps):
        if root in chart.steps and root not in seen:
            found[len(found) :] = reversed(_finished(chart, root, seen, loop))
    return found


def _loops(chart: Chart) -> dict[str, int]:
    """Give each step the number of the loop that it is in; alone it has its own."""
    onward = {
        path: [way.target for way in chart.leaving(path) if way.target in chart.steps]
        for path in chart.steps
    }
    return {path: number for number, each in enumerate(ordered(onward)) for path in each}


def _finished(chart: Chart, root: str, seen: set[str], loop: dict[str, int]) -> list[str]:
    """Walk depth-first and give each step once everything behind it is done."""
    done: list[str] = []
    seen.add(root)
    stack = [(root, iter(_targets(chart, root, loop)))]
    while stack:
        path, targets = stack[-1]
        target = next((each for each in targets if each not in seen), None)
        if target is None:
            done.append(path)
            stack.pop()
        else:
            seen.add(target)
            stack.append((target, iter(_targets(chart, target, loop))))
    return done


def _targets(chart: Chart, path: str, loop: dict[str, int]) -> list[str]:
    """Give where a step leads, the way that comes back last: it is then drawn first."""
    ways = [way for way in chart.leaving(path) if way.target in chart.steps]
    ways.sort(key=lambda way: (not way.failure, loop[way.target] == loop[path]))
    return [way.target for way in ways]


@dataclass(frozen=True)
class Branch:
    """All ways from one step to the same target, drawn as one."""

    target: str
    label: str
    ways: tuple[Way, ...]


def branches(chart: Chart, path: str, following: str | None) -> list[Branch]:
    """Give a step's branches in the order of their rows; the one straight down comes last."""
    groups: dict[str, list[Way]] = {}
    for way in chart.leaving(path):
        groups.setdefault(way.target, []).append(way)
    made = [Branch(target, _label(ways), tuple(ways)) for target, ways in groups.items()]
    rank = {END: 1, UNKNOWN: 1, following: 2}
    return sorted(made, key=lambda branch: rank.get(branch.target, 0))


def _label(ways: list[Way]) -> str:
    """Name the cases that lead the same way; a plain edge beside a failure route is `ok`."""
    if len(ways) == 1:
        return ways[0].label
    return ", ".join(way.label or "ok" for way in ways)


@dataclass(frozen=True)
class Span:
    """The rows that a lane to one target needs."""

    target: str
    top: int
    bottom: int


def lanes(spans: Iterable[Span], most: int) -> dict[str, int]:
    """Give each target the innermost free lane, short ways first; none where it is full."""
    taken: list[list[Span]] = [[] for _ in range(most)]
    found: dict[str, int] = {}
    for span in sorted(spans, key=lambda each: (each.bottom - each.top, each.top)):
        for index, lane in enumerate(taken):
            if all(span.bottom < other.top or span.top > other.bottom for other in lane):
                lane.append(span)
                found[span.target] = index
                break
    return found
