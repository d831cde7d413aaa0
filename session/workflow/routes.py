"""The rules of edges, switches and exits of a loaded workflow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from types import NoneType
from typing import Any

from .bind import find_exit, output_type
from .closed import NoSuchField, among, case_value, values_at
from .definition import DeclaredEdge, Workflow
from .findings import Code, Finding
from .handles import Exit, Mount, Node, Outcome, Port
from .names import is_part_name
from .parts import broken, parts, target_name


def edges(workflow: Workflow[Any]) -> Iterator[Finding]:
    seen: dict[tuple[str, bool], DeclaredEdge] = {}
    for edge in workflow.edges:
        source = edge.source
        label = _label(source)
        if problem := _bad_source(workflow, source):
            yield broken(Code.UNKNOWN_TARGET, problem, edge.place, label)
            continue
        key = (".".join(source.key()), edge.form == "on_failure")
        if key in seen:
            what = "failure route" if key[1] else "outgoing edge"
            yield broken(
                Code.SECOND_EDGE,
                f"'{label}' already has its {what} (line {seen[key].place.line}): use one switch",
                edge.place,
                label,
            )
        seen.setdefault(key, edge)
        for _, target in edge.cases:
            if problem := _bad_target(workflow, target):
                yield broken(Code.UNKNOWN_TARGET, problem, edge.place, target_name(target))
        if edge.form == "switch":
            yield from _cases(edge, source, label)
    for (name, failure), edge in seen.items():
        routed = seen.get((name, False))
        if failure and routed is not None and isinstance(routed.on, Outcome):
            yield broken(
                Code.SECOND_EDGE,
                f"'{name}' already routes its failures by OUTCOME: drop on_failure",
                edge.place,
                name,
            )


def _label(source: Any) -> str:
    return ".".join(source.key()) if isinstance(source, (Node, Port)) else str(source)


def _bad_source(workflow: Workflow[Any], source: Any) -> str | None:
    if isinstance(source, Mount):
        return f"leave mount '{source.name}' by one of its exits: {source.name}.exit(...)"
    if isinstance(source, Port):
        mount = source.mount
        if mount.owner is not workflow:
            return f"'{mount.name}' is mounted in another workflow"
        if find_exit(mount, source.exit_name) is None:
            names = ", ".join(e.name for e in mount.workflow.exits) or "none"
            return f"'{mount.workflow.name}' has no exit {source.exit_name!r} (it has: {names})"
        return None
    if not isinstance(source, Node):
        return f"an edge starts at a node or a mount's exit, not at {source!r}"
    return None if source.owner is workflow else f"'{source.name}' belongs to another workflow"


def _bad_target(workflow: Workflow[Any], target: Any) -> str | None:
    named = parts(workflow)
    if target is None:
        return None
    if isinstance(target, str):
        if target in named:
            return None
        return f"there is no node '{target}' (there are: {', '.join(sorted(named)) or 'none'})"
    if isinstance(target, (Node, Mount)):
        if target.owner is workflow:
            return None
        return f"'{target.name}' belongs to another workflow: include that one"
    return f"an edge leads to a node or a mount, not to {target!r}"


def _cases(edge: DeclaredEdge, source: Node[Any] | Port[Any], label: str) -> Iterator[Finding]:
    if isinstance(edge.on, Outcome):
        wanted: list[Any] | None = list(Outcome.VALUES)
    else:
        output = _source_type(source)
        if output is None:
            yield broken(
                Code.NO_OUTPUT_MODEL,
                f"'{label}' has no output to switch on: give it output=, or switch on OUTCOME",
                edge.place,
                label,
            )
            return
        try:
            wanted = None if output is Any else values_at(output, str(edge.on))
        except NoSuchField as error:
            yield broken(Code.BAD_PATH, f"on={edge.on!r}: {error}", edge.place, str(edge.on))
            return
    given = [case_value(value) for value, _ in edge.cases]
    if wanted is None:
        if not given:
            yield broken(Code.MISSING_CASE, f"switch on '{label}' has no case", edge.place, label)
        wanted = [value for value in given if isinstance(value, _IN_JSON)]
    for value in wanted:
        if not among(value, given):
            yield broken(
                Code.MISSING_CASE,
                f"switch on '{label}' has no case for {value!r}",
                edge.place,
                str(value),
            )
    for value in given:
        if not among(value, wanted):
            yield broken(
                Code.EXTRA_CASE,
                f"switch on '{label}' can never be {value!r}",
                edge.place,
                str(value),
            )


_IN_JSON = (str, bool, int, float, NoneType)


def _source_type(source: Node[Any] | Port[Any]) -> Any:
    if isinstance(source, Node):
        return _output(source)
    found = find_exit(source.mount, source.exit_name)
    return None if found is None else found.output


def _output(node: Node[Any]) -> Any:
    """Give a node's output type, None for nothing; Any where its settings make none."""
    try:
        output = output_type(node)
    except Exception:  # settings.py tells what is wrong with them
        return Any
    return None if output is NoneType else output


def exits(workflow: Workflow[Any]) -> Iterator[Finding]:
    names = Counter(e.name for e in workflow.exits)
    nodes = Counter(id(e.node) for e in workflow.exits)
    leaving = {id(e.source) for e in workflow.edges if e.form != "on_failure"}
    for exit_ in workflow.exits:
        if problem := _bad_exit(workflow, exit_, names, nodes, leaving):
            yield broken(Code.BAD_EXIT, f"exit '{exit_.name}': {problem}", exit_.place, exit_.name)


def _bad_exit(
    workflow: Workflow[Any],
    exit_: Exit[Any],
    names: Counter[str],
    nodes: Counter[int],
    leaving: set[int],
) -> str | None:
    if not isinstance(exit_.node, Node) or exit_.node.owner is not workflow:
        return "its node belongs to another workflow"
    if not is_part_name(exit_.name):
        return "use letters, digits, '_' or '-' in its name"
    if names[exit_.name] > 1:
        return "the name is taken: rename one"
    if nodes[id(exit_.node)] > 1:
        return f"'{exit_.node.name}' is another exit already"
    if id(exit_.node) in leaving:
        return f"'{exit_.node.name}' has an outgoing edge, so nothing ends there"
    made = _output(exit_.node)
    if made is not Any and not _fits(made, exit_.output):
        return f"'{exit_.node.name}' has the output {_said(made)}, not {_said(exit_.output)}"
    return None


def _fits(made: Any, declared: Any) -> bool:
    """Whether an exit's type is its node's, or a base of it."""
    if isinstance(made, type) and isinstance(declared, type):
        return issubclass(made, declared)
    declared = None if declared is NoneType else declared
    return declared is Any or bool(made == declared)


def _said(hint: Any) -> str:
    return str(getattr(hint, "__name__", hint))
