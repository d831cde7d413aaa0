"""The chart of a workflow whose text alone is known, mounts flattened in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .chart import END, UNKNOWN, Chart, Step, Way, label_of
from .rules.view import OUTCOME, View
from .source.expr import Text
from .source.graph import MountSource, NodeSource, TargetKind
from .source.types import value_of

if TYPE_CHECKING:
    from .source.graph import CaseSource, EdgeSource, Target, WorkflowSource
    from .source.module import Module

_KINDS: Final = {"decision": "agent", "human_decision": "checkpoint"}
_DEEPEST: Final = 12


def chart_text(module: Module, workflow: WorkflowSource) -> Chart:
    """Give the chart; what text does not settle leads to `UNKNOWN`."""
    made = _Drawing(View(module, workflow))
    made.add(made.view, "", 0)
    steps = workflow.setting("max_steps")
    known = value_of(module, steps) if steps is not None else None
    number = known[0] if known is not None else None
    return Chart(
        name=workflow.name or workflow.variable,
        start=made.view.start,
        steps=made.steps,
        ways=tuple(made.all_ways()),
        on=made.on,
        max_steps=number if isinstance(number, int) else None,
        complete=made.complete,
    )


class _Drawing:
    """The steps and ways found so far."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.steps: dict[str, Step] = {}
        self.ways: dict[str, list[Way]] = {}
        self.failures: dict[str, list[Way]] = {}
        self.on: dict[str, str] = {}
        self.complete = True

    def all_ways(self) -> list[Way]:
        """Give every way, and one to the end for each step that leads nowhere."""
        found: list[Way] = []
        for path in self.steps:
            found += self.ways.get(path) or [Way(path, END)]
            found += self.failures.get(path, [])
        return found

    def add(self, view: View, prefix: str, depth: int) -> None:
        self.complete = self.complete and view.settled
        for part in view.parts:
            path = prefix + part.name
            if isinstance(part, NodeSource):
                self.steps.setdefault(path, _step(path, part))
            else:
                self._mount(view, part, path, depth)
        for edge in view.workflow.edges:
            self._edge(view, edge, prefix)

    def _mount(self, view: View, mount: MountSource, path: str, depth: int) -> None:
        self.steps.setdefault(path, Step(path, "mount"))
        inner = view.included(mount)
        if inner is None or depth > _DEEPEST:
            self.complete = False
            self.ways[path] = [Way(path, UNKNOWN)]
            return
        inside = View(inner.module, inner.workflow)
        self.ways[path] = [Way(path, f"{path}/{inside.start}")]
        self.add(inside, path + "/", depth + 1)

    def _edge(self, view: View, edge: EdgeSource, prefix: str) -> None:
        source = _source(view, edge.source, prefix)
        if source is None:
            return
        if edge.form == "on_failure":
            targets = [_target(case.target, prefix) for case in edge.cases]
            self.failures[source] = [Way(source, each, "failed", failure=True) for each in targets]
            return
        switch = edge.form == "switch"
        if switch:
            on = view.on(edge)
            self.on[source] = "OUTCOME" if on is OUTCOME else str(on or UNKNOWN)
        self.ways[source] = [
            Way(source, _target(case.target, prefix), _label(view, case) if switch else "")
            for case in edge.cases
        ] or [Way(source, UNKNOWN)]


def _step(path: str, node: NodeSource) -> Step:
    status = node.setting("status")
    return Step(
        path,
        _KINDS.get(node.kind, node.kind),
        human=node.kind == "human_decision",
        status=status.value if isinstance(status, Text) else "",
    )


def _source(view: View, source: Target, prefix: str) -> str | None:
    if source.kind is TargetKind.NODE:
        return prefix + source.name
    if source.kind is TargetKind.PORT:
        made = view.exit_of(source)
        if made is not None:
            return f"{prefix}{source.name}/{made.node.name}"
        # The exit's node is not known, so the way is drawn from the mount as a whole.
        return None
    return None


def _target(target: Target, prefix: str) -> str:
    if target.kind is TargetKind.END:
        return END
    known = target.kind in {TargetKind.NODE, TargetKind.MOUNT}
    return prefix + target.name if known else UNKNOWN


def _label(view: View, case: CaseSource) -> str:
    known = value_of(view.module, case.key)
    return label_of(known[0]) if known is not None else UNKNOWN
