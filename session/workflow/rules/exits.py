"""Rules about exits: where a workflow ends for those that include it, and leaving by one."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from ..findings import Code
from ..names import is_part_name
from ..source.expr import Text
from ..source.graph import MountSource, Target, TargetKind
from ..source.types import Kind, type_of
from .view import listed, nearest, replace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..findings import Finding
    from ..source.graph import ExitSource
    from .view import View

_NOT_OURS = frozenset(
    [
        TargetKind.MISSING,
        TargetKind.WRONG,
        TargetKind.ELSEWHERE,
        TargetKind.LATER,
        TargetKind.MOUNT,
        TargetKind.PORT,
        TargetKind.TEXT,
        TargetKind.END,
    ]
)


def check(view: View) -> Iterator[Finding]:
    names = Counter(each.name for each in view.workflow.exits)
    nodes = Counter(each.node.name for each in view.workflow.exits)
    for made in view.workflow.exits:
        problem = _problem(view, made, names, nodes)
        if problem is not None:
            message = f"exit '{made.name}': {problem}"
            yield view.finding(Code.BAD_EXIT, message, made.name_span, made.name)
        else:
            yield from _output(view, made)
    for edge in view.workflow.edges:
        if edge.source.kind is TargetKind.PORT:
            yield from _port(view, edge.source)


def _problem(view: View, made: ExitSource, names: Counter[str], nodes: Counter[str]) -> str | None:
    node = made.node.name
    if made.node.kind in _NOT_OURS:
        return f"'{node}' is not a node of this workflow" if node else "name one of its nodes"
    if not is_part_name(made.name):
        return "use letters, digits, '_' or '-' in its name"
    if names[made.name] > 1:
        return "the name is taken: rename one"
    if made.node.kind is TargetKind.NODE and nodes[node] > 1:
        return f"'{node}' is another exit already"
    if node in view.left:
        return f"'{node}' has an outgoing edge, so nothing ends there: end it elsewhere"
    return None


def _output(view: View, made: ExitSource) -> Iterator[Finding]:
    """The exit's model has to be its node's: others read the value as that."""
    if made.output is None or made.node.kind is not TargetKind.NODE:
        return
    said, real = type_of(view.module, made.output), view.output(made.node.name)
    same = said.home == real.home and said.name == real.name
    if said.kind is Kind.MODEL and real.kind is Kind.MODEL and not same:
        base = made.base
        span = (base + made.output.span[0], base + made.output.span[1])
        message = f"exit '{made.name}': '{made.node.name}' gives {real.name}, not {said.name}"
        yield view.finding(Code.BAD_EXIT, message, span, made.name)


def _port(view: View, port: Target) -> Iterator[Finding]:
    mount = view.workflow.parts.get(port.name)
    inner = view.included(mount) if isinstance(mount, MountSource) else None
    name = view.exit_name(port)
    if inner is None or inner.workflow.open or name is None or view.exit_of(port) is not None:
        return
    names = [each.name for each in inner.workflow.exits]
    near = nearest(name, names)
    quoted = near is not None and isinstance(port.exit, Text)
    fix = replace(f"write '{near}'", port.exit_span, f'"{near}"') if quoted else None
    message = f"'{inner.workflow.name}' has no exit '{name}' (it has: {listed(names)})"
    message += f": {fix.title}" if fix is not None else ""
    yield view.finding(Code.BAD_EXIT, message, port.exit_span, name, fix)
