"""A workflow's graph as it is drawn and compared: steps and the ways between them.

It is made from text (`charted.py`) or from a compiled definition (here); where both are there,
`differences` says where they do not agree.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Final

from .snapshot import OUTCOME_PATH

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ..canonical import Json
    from .snapshot import Definition

END: Final = ""
UNKNOWN: Final = "?"
"""A target that text does not settle."""


@dataclass(frozen=True)
class Step:
    """One node. `kind` is the runtime's; `human` marks a person's decision."""

    path: str
    kind: str
    human: bool = False
    status: str = ""

    @property
    def shown(self) -> str:
        """The kind as a person reads it."""
        return "human" if self.human else self.kind


@dataclass(frozen=True)
class Way:
    """One way from a step to another: a plain edge, a case, a failure route."""

    source: str
    target: str
    label: str = ""
    failure: bool = False


@dataclass(frozen=True)
class Chart:
    """A whole graph. Steps are in the order of the text where that is known."""

    name: str
    start: str
    steps: Mapping[str, Step]
    ways: tuple[Way, ...]
    on: Mapping[str, str] = field(default_factory=dict)
    """What the switch of a step rests on."""
    max_steps: int | None = None
    complete: bool = True
    """Whether the text showed the whole graph."""

    def leaving(self, path: str) -> list[Way]:
        return self._by_source.get(path, [])

    @cached_property
    def _by_source(self) -> dict[str, list[Way]]:
        found: dict[str, list[Way]] = {}
        for way in self.ways:
            found.setdefault(way.source, []).append(way)
        return found


def label_of(value: Json) -> str:
    """Give a case's value as a person reads it; texts without quotes."""
    return value if isinstance(value, str) else str(value).lower()


def chart_of(definition: Definition) -> Chart:
    """Give the chart of a compiled workflow."""
    steps: dict[str, Step] = {}
    ways: list[Way] = []
    on: dict[str, str] = {}
    for path, node in definition.nodes.items():
        steps[path] = Step(path, node.kind, node.human, node.status)
        if node.edge.on is not None:
            on[path] = "OUTCOME" if node.edge.on == OUTCOME_PATH else node.edge.on
        for value, target in node.edge.cases:
            label = label_of(value) if node.edge.on is not None else ""
            ways.append(Way(path, target or END, label))
        if not node.edge.cases:
            ways.append(Way(path, END))
        if node.edge.failure is not None:
            ways.append(Way(path, node.edge.failure, "failed", failure=True))
    return Chart(definition.name, definition.start, steps, tuple(ways), on, definition.max_steps)


def differences(text: Chart, loaded: Chart) -> Iterator[tuple[str, str]]:
    """Give what the text does not say as the loaded workflow does: subject and sentence."""
    for path in sorted(text.steps.keys() ^ loaded.steps.keys()):
        where = "loaded workflow" if path in loaded.steps else "text"
        yield path, f"only the {where} has a node '{path}'"
    for path in sorted(text.steps.keys() & loaded.steps.keys()):
        said, real = text.steps[path], loaded.steps[path]
        if (said.kind, said.human) != (real.kind, real.human):
            yield path, f"'{path}' reads as {said.shown} and loads as {real.shown}"
        here, there = set(text.leaving(path)), set(loaded.leaving(path))
        if here != there and UNKNOWN not in {way.target for way in here}:
            yield path, f"the ways from '{path}' are not those of the loaded workflow"
        if text.on.get(path) != loaded.on.get(path):
            yield path, f"'{path}' switches on {loaded.on.get(path)!r} once loaded"
    if text.start != loaded.start:
        yield text.start, f"the loaded workflow starts at '{loaded.start}'"
