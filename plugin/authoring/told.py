"""What is told of a node, a mount, an exit, a workflow or a switched field: one short page.

The contract is the one that the model will see: the same function makes both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from segue.session.workflow.charted import chart_text
from segue.session.workflow.rules.view import OUTCOME, View
from segue.session.workflow.source.expr import Text
from segue.session.workflow.source.graph import ExitSource, MountSource, NodeSource, TargetKind
from segue.session.workflow.source.outputs import NoField, field_at
from segue.session.workflow.source.types import value_of

from ..explaining import Part, said_of, size_of
from .finding import declared, named_at

if TYPE_CHECKING:
    from segue.session.workflow.source.expr import Span
    from segue.session.workflow.source.graph import EdgeSource

    from .finding import Declared
    from .live import RunState
    from .opened import Opened


def told_at(opened: Opened, offset: int, run: RunState | None) -> tuple[str, Span] | None:
    """Give what is told of what stands at an offset, in Markdown, and its range."""
    mention = named_at(opened, offset)
    if mention is not None:
        found = declared(opened, mention.symbol)
        if found is None:
            return None
        here = run if found.module is opened.module else None
        return _told(found, here), mention.span
    return _switched(opened, offset)


def _told(found: Declared, run: RunState | None) -> str:
    view = View(found.module, found.workflow)
    match found.part:
        case NodeSource() as node:
            return _node(view, node, run)
        case MountSource() as mount:
            return _mount(view, mount, run)
        case ExitSource() as made:
            return f"**{made.name}**: exit of `{_name(view)}`, after `{made.node.name}`"
        case None:
            return _workflow(view, run)


def _name(view: View) -> str:
    return view.workflow.name or view.workflow.variable


# Nodes


def _node(view: View, node: NodeSource, run: RunState | None) -> str:
    lines = [f"**{node.name}**: {node.kind} in `{_name(view)}`"]
    status = node.setting("status")
    if isinstance(status, Text):
        lines[0] += f", {status.value}"
    first = node.doc.strip().partition("\n")[0]
    if first:
        lines.append(first)
    output = view.output(node.name)
    if output.name not in {"", "None"}:
        lines.append(f"gives `{output.name}`")
    lines += _ways(view, node.name)
    said = said_of(view, node.name, node, _name(view))
    if said is not None:
        lines.append(f"prompt: {size_of(Part(node.name, view, node), node)}")
    lines += _last(run, node.name)
    page = "  \n".join(lines)
    if said is None:
        return page
    contract = "\n\n".join(text for text in (said.guard, said.contract, said.schema) if text)
    return f"{page}\n\n---\nWhat the model is told around the prompt:\n```text\n{contract}\n```"


def _ways(view: View, name: str) -> list[str]:
    """Say what leads to a part and where it leads."""
    into: list[str] = ["the start"] if view.start == name else []
    out: list[str] = []
    for edge in view.workflow.edges:
        for case, label in zip(edge.cases, _labels(view, edge), strict=True):
            shown = f" ({label})" if label else ""
            if case.target.name == name and case.target.kind is not TargetKind.END:
                into.append(f"`{_source(view, edge)}`{shown}")
            if edge.source.name == name:
                end = case.target.kind is TargetKind.END
                port = view.exit_name(edge.source) if edge.source.kind is TargetKind.PORT else None
                way = f" from exit `{port}`" if port else ""
                out.append(("the end" if end else f"`{case.target.name or '?'}`") + shown + way)
    return [
        f"from {', '.join(into) if into else 'nowhere'}",
        f"to {', '.join(out) if out else 'the end'}",
    ]


def _source(view: View, edge: EdgeSource) -> str:
    port = view.exit_name(edge.source) if edge.source.kind is TargetKind.PORT else None
    return f"{edge.source.name}.{port}" if port else edge.source.name


def _labels(view: View, edge: EdgeSource) -> list[str]:
    if edge.form == "on_failure":
        return ["failed" for _ in edge.cases]
    if edge.form == "edge":
        return ["" for _ in edge.cases]
    known = [value_of(view.module, case.key) for case in edge.cases]
    return ["?" if each is None else str(each[0]) for each in known]


def _last(run: RunState | None, path: str) -> list[str]:
    state = run.nodes.get(path) if run is not None else None
    if run is None or state is None:
        return []
    line = f"last: {state.state}, visit {state.visits} of run `{run.id}`"
    return [f"{line}: `{state.said}`" if state.said and "`" not in state.said else line]


# Mounts, workflows, fields


def _mount(view: View, mount: MountSource, run: RunState | None) -> str:
    inner = view.included(mount)
    what = f"`{inner.workflow.name}`" if inner is not None else "a workflow that is not known"
    lines = [f"**{mount.name}**: mount in `{_name(view)}`, includes {what}"]
    if inner is not None:
        names = ", ".join(f"`{each.name}`" for each in inner.workflow.exits) or "none"
        lines.append(f"exits: {names}")
    return "  \n".join([*lines, *_ways(view, mount.name), *_last(run, mount.name)])


def _workflow(view: View, run: RunState | None) -> str:
    chart = chart_text(view.module, view.workflow)
    about = view.workflow.setting("description")
    first = about.value if isinstance(about, Text) else view.module.document.doc
    lines = [f"**{_name(view)}**: workflow of {len(chart.steps)} steps, starts at `{chart.start}`"]
    if first.strip():
        lines.append(first.strip().partition("\n")[0])
    if chart.max_steps is not None:
        lines.append(f"at most {chart.max_steps} steps in a run")
    if run is not None:
        why = f" ({run.reason})" if run.reason else ""
        lines.append(f"last run `{run.id}`: {run.status}{why}")
    return "  \n".join(lines)


def _switched(opened: Opened, offset: int) -> tuple[str, Span] | None:
    """Tell of the field that a switch rests on."""
    for view in opened.views.values():
        for edge in view.workflow.edges:
            if edge.form == "switch" and edge.on_span[0] <= offset <= edge.on_span[1]:
                return _field(view, edge)
    return None


def _field(view: View, edge: EdgeSource) -> tuple[str, Span] | None:
    on = view.on(edge)
    if on is OUTCOME:
        return "how the step ended: `ok`, `failed` or `timed_out`", edge.on_span
    if not isinstance(on, str):
        return None
    output, choices = view.source_output(edge.source)
    found = field_at(output, on, choices)
    if isinstance(found, NoField):
        return None
    values = ", ".join(f"`{spelled}`" for _, spelled in found.cases())
    what = f"one of {values}" if values else f"`{found.name or 'not known'}`"
    return f"`{on}` of `{edge.source.name}`: {what}", edge.on_span
