"""The rules of the whole graph: everything is reached, and everywhere there is a way out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .definition import Workflow
from .findings import Code, Finding
from .parts import broken, parts, target_name


def reach(workflow: Workflow[Any]) -> Iterator[Finding]:
    named = parts(workflow)
    if workflow.start not in named:
        names = ", ".join(sorted(named)) or "none"
        yield broken(
            Code.UNKNOWN_TARGET,
            f"start={workflow.start!r} is not a node (there are: {names})",
            workflow.place,
            workflow.start,
        )
        return
    onward = _onward(workflow)
    reached = _closure({workflow.start}, onward)
    for name, part in named.items():
        if name not in reached:
            yield broken(
                Code.UNREACHABLE,
                f"nothing leads to '{name}': add an edge, or remove it",
                part.place,
                name,
            )
    backward: dict[str, set[str]] = {name: set() for name in named}
    ends = set()
    for name, targets in onward.items():
        for target in targets:
            backward[target].add(name) if target else ends.add(name)
    ending = _closure(ends, backward)
    for name in sorted(reached - ending):
        yield broken(
            Code.NO_END,
            f"no path from '{name}' ends the run: add a way out of the loop",
            named[name].place,
            name,
        )


def _onward(workflow: Workflow[Any]) -> dict[str, set[str]]:
    """Give where each part leads; the empty name is the end of the run."""
    onward: dict[str, set[str]] = {name: set() for name in parts(workflow)}
    left = {".".join(e.source.key()) for e in workflow.edges if e.form != "on_failure"}
    for edge in workflow.edges:
        start = edge.source.key()[0]
        onward[start] |= {"" if t is None else target_name(t) for _, t in edge.cases}
    for node in workflow.declared:
        if node.name not in left:
            onward[node.name].add("")
    for mount in workflow.mounts:
        exits = {f"{mount.name}.{e.name}" for e in mount.workflow.exits}
        if not exits or exits - left:
            onward[mount.name].add("")
    return onward


def _closure(start: set[str], onward: dict[str, set[str]]) -> set[str]:
    seen, todo = set(start), list(start)
    while todo:
        for name in onward.get(todo.pop(), ()):
            if name and name not in seen:
                seen.add(name)
                todo.append(name)
    return seen
