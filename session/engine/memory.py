"""What a runner knows of the steps done: visits, mount entries, which outputs count.

Built once from the attempts and then kept in step by step, so that the cost of a step does not
grow with the steps already done. The latest try of a node wins; one that failed leaves no output
behind, and entering a mount forgets everything below it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(slots=True)
class Memory:
    """Counts of one run. Node paths are keys throughout."""

    visits: dict[str, int] = field(default_factory=dict)
    """How often each node was entered in the whole run: what is recorded."""
    fresh: dict[str, int] = field(default_factory=dict)
    """How often since the mount that it lies in was entered: what `ctx.visit` says."""
    outputs: dict[str, int] = field(default_factory=dict)
    """The step whose output is a node's latest."""
    states: dict[str, str] = field(default_factory=dict)
    """How the latest visit of a node stands: what a view shows without reading every step."""

    def enter(self, path: str) -> int:
        """Note a visit and give its number."""
        self.visits[path] = visit = self.visits.get(path, 0) + 1
        self.fresh[path] = self.fresh.get(path, 0) + 1
        self.states[path] = "running"
        return visit

    def ended(self, path: str, step: int, state: str) -> None:
        """Note how the latest visit of a node ended."""
        self.states[path] = state
        if state == "ok":
            self.outputs[path] = step
        else:
            self.outputs.pop(path, None)

    def seen(self) -> dict[str, tuple[int, str]]:
        """Give visits and state of every node entered, as `steps.by_node` reads them."""
        return {path: (visits, self.states[path]) for path, visits in self.visits.items()}

    def entered_mount(self, path: str) -> None:
        """Forget what an earlier entry of the mount left."""
        below = path + "/"
        for kept in (self.fresh, self.outputs):
            for key in [key for key in kept if key.startswith(below)]:
                del kept[key]


def recall(rows: Iterable[tuple[int, str, int, int, str]], mounts: frozenset[str]) -> Memory:
    """Build the memory of a run from step, node, visit, attempt and state of its tries."""
    memory = Memory()
    listed = list(rows)
    for at, (step, path, _visit, attempt, state) in enumerate(listed):
        if attempt == 1:
            memory.enter(path)
        if at + 1 < len(listed) and listed[at + 1][3] > 1:
            continue  # tried again at once: only the last try of a visit says how it ended
        if state in ("ok", "failed", "timed_out", "cancelled"):
            memory.ended(path, step, state)
        if path in mounts and state == "ok":
            memory.entered_mount(path)
    return memory
