"""Rules about single edges: both ends exist, and a node has one way on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..findings import Code, Fix
from ..source.graph import Target, TargetKind
from ..source.module import Handle, Here
from .view import OUTCOME, listed, nearest, replace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..findings import Finding
    from ..source.expr import Span
    from ..source.graph import EdgeSource
    from .view import View


def check(view: View) -> Iterator[Finding]:
    yield from _start(view)
    for edge in view.workflow.edges:
        yield from _source(view, edge.source)
        for case in edge.cases:
            yield from _target(view, case.target)
    yield from _second(view)


def _start(view: View) -> Iterator[Finding]:
    given = view.workflow.setting("start")
    names = [part.name for part in view.parts]
    if given is None:
        if not view.workflow.call.open:
            message = f'name the first node: start="..." (there are: {listed(names)})'
            yield view.finding(Code.UNKNOWN_TARGET, message, view.workflow.span, "start")
    elif view.start and view.start not in names and not view.workflow.open:
        span = view.workflow.at(given)
        message = f"start='{view.start}' is not a node (there are: {listed(names)})"
        fix = _spelled(span, view.start, names, '"')
        yield view.finding(Code.UNKNOWN_TARGET, _meant(message, fix), span, view.start, fix)


def _spelled(span: Span, word: str, words: list[str], quote: str = "") -> Fix | None:
    near = nearest(word, words)
    return replace(f"write '{near}'", span, f"{quote}{near}{quote}") if near else None


def _meant(message: str, fix: Fix | None) -> str:
    return f"{message}: {fix.title}" if fix is not None else message


def _source(view: View, source: Target) -> Iterator[Finding]:
    if source.kind is TargetKind.TEXT:
        known = source.name in view.workflow.parts
        fix = replace(f"write {source.name} without quotes", source.span, source.name)
        message = f"an edge starts at a node's handle, not at a text: '{source.name}'"
        yield view.finding(
            Code.UNKNOWN_TARGET, message, source.span, source.name, fix if known else None
        )
    elif source.kind is TargetKind.END:
        message = "an edge starts at a node, not at None"
        yield view.finding(Code.UNKNOWN_TARGET, message, source.span, "None")
    elif source.kind is TargetKind.MOUNT:
        name = source.name
        message = f"leave mount '{name}' by one of its exits: {name}.exit(...)"
        yield view.finding(Code.UNKNOWN_TARGET, message, source.span, name)
    else:
        yield from _handle(view, source, quotable=False)


def _target(view: View, target: Target) -> Iterator[Finding]:
    if target.kind is TargetKind.TEXT:
        if view.workflow.open:
            return
        names = [part.name for part in view.parts]
        fix = _spelled(target.span, target.name, names, '"')
        message = f"there is no node '{target.name}' (there are: {listed(names)})"
        yield view.finding(Code.UNKNOWN_TARGET, _meant(message, fix), target.span, target.name, fix)
    elif target.kind is TargetKind.PORT:
        message = f"an edge enters mount '{target.name}' itself, not one of its exits"
        fix = replace(f'write "{target.name}"', target.span, f'"{target.name}"')
        yield view.finding(Code.UNKNOWN_TARGET, message, target.span, target.name, fix)
    else:
        yield from _handle(view, target, quotable=True)


def _handle(view: View, target: Target, *, quotable: bool) -> Iterator[Finding]:
    """Findings that a source and a target have in common: a Python name that is no node."""
    name = target.name
    fix: Fix | None = None
    match target.kind:
        case TargetKind.MISSING:
            fix = _spelled(target.span, name, [p.variable for p in view.parts if p.variable])
            message = _meant(f"there is no node '{name}'", fix)
        case TargetKind.LATER:
            known = name in view.workflow.parts and quotable
            fix = replace(f'write "{name}"', target.span, f'"{name}"') if known else None
            message = f"'{name}' is bound further down: move this line below it" + (
                f', or write "{name}"' if known else ""
            )
        case TargetKind.WRONG:
            message = f"'{name}' is not a node: " + _instead(view, name)
        case TargetKind.ELSEWHERE:
            message = f"'{name}' belongs to another workflow: include that one"
        case TargetKind.UNCLEAR if _imported_node(view, name):
            message = f"'{name}' belongs to another workflow: include that one"
        case _:
            return
    yield view.finding(Code.UNKNOWN_TARGET, message, target.span, name, fix)


def _instead(view: View, name: str) -> str:
    variable = view.workflow.variable
    meaning = view.module.of_name(name)
    if isinstance(meaning, Here):
        return f"decorate it, as in @{variable}.compute"
    return "lead the edge to a node or a mount"


def _imported_node(view: View, name: str) -> bool:
    meaning = view.module.of_name(name) if name else None
    return isinstance(meaning, Handle) and meaning.module is not view.module


def _second(view: View) -> Iterator[Finding]:
    seen: dict[tuple[str, str | None, bool], EdgeSource] = {}
    for edge in view.workflow.edges:
        if edge.source.kind not in {TargetKind.NODE, TargetKind.PORT}:
            continue
        port = edge.source.kind is TargetKind.PORT
        name = view.exit_name(edge.source) if port else None
        if port and name is None:
            continue
        failure = edge.form == "on_failure"
        first = seen.setdefault((edge.source.name, name, failure), edge)
        if first is not edge:
            yield _again(view, edge, first)
    for (node, name, failure), edge in seen.items():
        routed = seen.get((node, name, False))
        if failure and routed is not None and view.on(routed) is OUTCOME:
            message = f"'{node}' already routes its failures by OUTCOME: drop on_failure"
            yield view.finding(Code.SECOND_EDGE, message, edge.span, node)


def _again(view: View, edge: EdgeSource, first: EdgeSource) -> Finding:
    line = view.module.document.text.position(first.span[0]).line
    what = "failure route" if edge.form == "on_failure" else "outgoing edge"
    message = f"'{edge.source.name}' has its {what} in line {line}: use one switch for both"
    return view.finding(Code.SECOND_EDGE, message, edge.span, edge.source.name)
