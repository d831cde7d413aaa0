"""Makes the snapshot of a loaded workflow, or says everything that is wrong with it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import limits
from ..errors import WorkflowInvalid
from .bind import Bound, bind, source_path
from .closed import case_value
from .handles import Mount, Node, Outcome
from .snapshot import OUTCOME_PATH, Definition, EdgeDef, NodeDef
from .validate import validate

if TYPE_CHECKING:
    from .definition import DeclaredEdge, Workflow

_SECONDS = {
    "agent": limits.AGENT_SECONDS,
    "assistant": limits.AGENT_SECONDS,
    "compute": limits.COMPUTE_SECONDS,
    "action": limits.ACTION_SECONDS,
    "shell": limits.ACTION_SECONDS,
}


def compile_workflow(workflow: Workflow[Any]) -> Definition:
    """Give the compiled graph.

    Raises:
        WorkflowInvalid: With every finding; the message is the first one and how many more.
    """
    findings = validate(workflow)
    if findings:
        more = f" (and {len(findings) - 1} more: segue check)" if len(findings) > 1 else ""
        raise WorkflowInvalid(f"{findings[0]}{more}", findings)
    bound = bind(workflow)
    edges = _edges(workflow, "")
    nodes = {path: _node(item, edges.get(path, EdgeDef())) for path, item in bound.items()}
    return Definition(
        name=workflow.name,
        start=workflow.start,
        nodes=nodes,
        max_steps=workflow.max_steps,
        exits={e.name: e.node.name for e in workflow.exits},
        input_schema=_schema(workflow.input),
        title=workflow.title,
        description=workflow.description,
        on_reopen=workflow.on_reopen,
        revision=workflow.revision,
        mount_only=workflow.mount_only,
    )


def _edges(workflow: Workflow[Any], prefix: str) -> dict[str, EdgeDef]:
    made: dict[str, EdgeDef] = {}
    for mount in workflow.mounts:
        inner = prefix + mount.name
        made[inner] = EdgeDef(cases=((None, f"{inner}/{mount.workflow.start}"),))
        made |= _edges(mount.workflow, inner + "/")
    for edge in workflow.edges:
        path = source_path(prefix, edge.source)
        if path is None:
            continue
        old = made.get(path, EdgeDef())
        made[path] = _merge(old, edge, prefix)
    return made


def _merge(old: EdgeDef, edge: DeclaredEdge, prefix: str) -> EdgeDef:
    cases = tuple((case_value(value), _target(target, prefix)) for value, target in edge.cases)
    if edge.form == "on_failure":
        return EdgeDef(old.on, old.cases, cases[0][1])
    on = OUTCOME_PATH if isinstance(edge.on, Outcome) else edge.on
    return EdgeDef(on, cases, old.failure)


def _target(target: Any, prefix: str) -> str | None:
    if target is None:
        return None
    return prefix + (target if isinstance(target, str) else target.name)


def _node(bound: Bound, edge: EdgeDef) -> NodeDef:
    part = bound.node
    module = Path(part.place.file).stem
    if isinstance(part, Mount):
        return NodeDef(
            bound.path,
            "mount",
            edge,
            timeout=limits.CALLBACK_SECONDS,
            module=module,
            line=part.place.line,
        )
    settings = part.settings
    return NodeDef(
        path=bound.path,
        kind=part.kind,  # type: ignore[arg-type]  # the decorators only make the kinds there are
        edge=edge,
        status=settings.get("status") or "",
        timeout=_timeout(part),
        effect=settings.get("effect") or "",
        schema=_contract_schema(part, bound),
        human=bool(settings.get("human")),
        choices=tuple(settings.get("choices", ())),
        text=tuple(settings.get("text", ())),
        on_timeout=settings.get("on_timeout"),
        max_chars=settings.get("max_chars", 0),
        module=module,
        line=part.place.line,
    )


def _timeout(node: Node[Any]) -> Any:
    timeout = node.settings.get("timeout", _SECONDS.get(node.kind))
    return "call" if callable(timeout) else None if timeout is None else float(timeout)


def _contract_schema(node: Node[Any], bound: Bound) -> Any:
    """Only what somebody outside has to fit: the model's answer, a checkpoint's answer."""
    if node.kind not in ("agent", "checkpoint") or node.output is None:
        return None
    return _schema(bound.value_type)


def _schema(model: Any) -> Any:
    from .contract import schema_of

    return schema_of(model)
