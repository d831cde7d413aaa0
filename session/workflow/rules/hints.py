"""Hints: nothing is broken, but a reader, or a person who decides, is served badly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ..findings import Code
from ..source.graph import MountSource, NodeSource, TargetKind
from ..source.module import Outside
from ..source.outputs import NoField, field_at, is_loose
from ..source.types import Kind
from .flow import closure
from .reads import read_target
from .view import END, View

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..findings import Finding
    from ..source.graph import Target

_ANSWERS: Final = frozenset(["agent", "checkpoint"])
"""Kinds whose output somebody writes by hand, so that a placeholder may come."""
_FOR_OTHERS: Final = frozenset("agent compute decision human_decision checkpoint".split())
"""Kinds that are there for their output."""


def check(view: View) -> Iterator[Finding]:
    yield from _shadowed(view)
    yield from _loose(view)
    if not view.workflow.open and _all_known(view):
        yield from _unused_output(view)
        yield from _unused_input(view)


def _all_known(view: View) -> bool:
    """Whether the text shows everything that callbacks read."""
    callbacks = [each for part in view.parts for each in view.callbacks(part)]
    return all(
        view.deep(each).known for each in callbacks if each.role not in {"parse", "progress"}
    )


def _shadowed(view: View) -> Iterator[Finding]:
    library = view.module.library
    name = view.workflow.name
    if name is None or name not in library.builtins:
        return
    if view.module.document.path.parent.resolve() not in library.packages.values():
        message = f"'{name}' hides the built-in of that name: it is still there as builtin:{name}"
        yield view.finding(Code.SHADOWED_BUILTIN, message, view.workflow.name_span, name)


# Loose outputs


def _loose(view: View) -> Iterator[Finding]:
    said: set[str] = set()
    for edge in view.workflow.edges:
        on = view.on(edge) if edge.form == "switch" else None
        answers = _answers(view, edge.source)
        if not isinstance(on, str) or answers is None:
            continue
        output, choices = view.source_output(edge.source)
        field = field_at(output, on, choices)
        free = not isinstance(field, NoField) and field.kind is Kind.TEXT
        if free and output.home is not None:
            said.add(edge.source.name)
            message = f"any text fits '{on}', a placeholder too: make it a Literal or an Enum"
            yield view.finding(Code.LOOSE_OUTPUT, message, edge.on_span, edge.source.name)
    for node in view.workflow.nodes:
        if node.kind == "human_decision":
            yield from _shown(view, node, said)


def _answers(view: View, source: Target) -> NodeSource | None:
    part = view.workflow.parts.get(source.name)
    if source.kind is TargetKind.PORT:
        made = view.exit_of(source)
        inner = view.included(part) if isinstance(part, MountSource) else None
        part = inner.workflow.parts.get(made.node.name) if inner and made else None
    return part if isinstance(part, NodeSource) and part.kind in _ANSWERS else None


def _shown(view: View, node: NodeSource, said: set[str]) -> Iterator[Finding]:
    """Outputs that a person is shown to decide upon."""
    for read in view.deep(node.callbacks[0]).reads:
        target = read_target(view, read.source)
        if target is None or target.kind is not TargetKind.NODE or target.name in said:
            continue
        part = view.workflow.parts[target.name]
        if not isinstance(part, NodeSource) or part.kind not in _ANSWERS:
            continue
        if is_loose(view.output(target.name)):
            said.add(target.name)
            message = (
                f"'{node.name}' rests on '{target.name}', where any text fits, a placeholder"
                " too: say more in its model, such as Field(min_length=...)"
            )
            yield view.finding(Code.LOOSE_OUTPUT, message, part.name_span, target.name)


# What nobody reads


def _unused_output(view: View) -> Iterator[Finding]:
    if not view.settled:
        return
    used = _read(view) | {each.node.name for each in view.workflow.exits}
    for edge in view.workflow.edges:
        if edge.form == "switch" and isinstance(view.on(edge), str):
            used.add(edge.source.name)
    reached = closure([view.start], view.onward)
    for node in view.workflow.nodes:
        ends = END in view.onward[node.name] or node.name not in reached
        if node.name in used or ends or not _speaks(view, node):
            continue
        message = f"nobody reads what '{node.name}' gives: read it with ctx.output, or drop it"
        yield view.finding(Code.UNUSED_OUTPUT, message, node.name_span, node.name)


def _read(view: View) -> set[str]:
    found: set[str] = set()
    for part in view.parts:
        for callback in view.callbacks(part):
            for read in view.deep(callback).reads:
                target = read_target(view, read.source)
                found |= {target.name} if target is not None else {p.name for p in view.parts}
    return found


def _speaks(view: View, node: NodeSource) -> bool:
    """Whether a node is there for its output and surely has one."""
    if node.kind not in _FOR_OTHERS:
        return False
    if node.kind in {"agent", "checkpoint"}:
        return node.setting("output") is not None and view.output(node.name).kind is Kind.MODEL
    if node.kind == "compute":
        returns = node.callbacks[0].returns
        return returns is not None and view.output(node.name).kind is not Kind.NOTHING
    return True


def _unused_input(view: View) -> Iterator[Finding]:
    given = view.workflow.setting("input")
    if given is None or not view.workflow.nodes:
        return
    meaning = view.module.meaning(given)
    if isinstance(meaning, Outside) and meaning.name.endswith("NoInput"):
        return
    callbacks = [each for part in view.parts for each in view.callbacks(part)]
    if any(view.deep(each).input for each in callbacks):
        return
    message = "no callback reads ctx.input: use it, or leave input= out"
    name = view.workflow.name or ""
    yield view.finding(Code.UNUSED_INPUT, message, view.workflow.at(given), name)
