"""What a workflow does, in words: steps, contracts, sizes, loops, changes, people.

All of it is read from the text, so it can be asked before anybody trusts the file. Only a
contract that text does not tell is taken from the loaded workflow, where it may be loaded.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from textwrap import fill, indent
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from segue.session.limits import MAX_STEPS
from segue.session.text import StepText, step_text
from segue.session.workflow.rules.components import components
from segue.session.workflow.rules.loops import pauses
from segue.session.workflow.rules.prompts import TEXTS
from segue.session.workflow.rules.reads import read_target
from segue.session.workflow.rules.view import View
from segue.session.workflow.snapshot import NodeDef
from segue.session.workflow.source.expr import Const, Text
from segue.session.workflow.source.graph import MountSource, NodeSource
from segue.session.workflow.source.outputs import choices_of, words_of
from segue.session.workflow.source.prompts import fixed_chars
from segue.session.workflow.source.schema import Unsettled, schema_of_node
from segue.session.workflow.source.types import value_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from segue.session.workflow.snapshot import Definition
    from segue.session.workflow.source.graph import WorkflowSource
    from segue.session.workflow.source.module import Module

Loaded: TypeAlias = "Callable[[], Definition | None]"
_ASKED: Final = frozenset(["agent", "assistant", "decision", "checkpoint"])
"""Kinds whose step is said to the model."""
_CHARS_PER_TOKEN: Final = 4
_ID: Final = "REQUEST"
"""In place of a request id."""
_WIDTH: Final = 76


@dataclass(frozen=True)
class Part:
    """One node or mount of the flattened workflow, with the view it belongs to."""

    path: str
    view: View
    part: NodeSource | MountSource
    schema: dict[str, Any] | None = None
    """The schema as the loaded workflow has it, where the text did not tell."""


def parts_of(view: View, prefix: str = "", depth: int = 0) -> Iterator[Part]:
    """Give every node, those of included workflows too."""
    for part in view.parts:
        yield Part(prefix + part.name, view, part)
        inner = view.included(part) if isinstance(part, MountSource) else None
        if inner is not None and depth < 12:
            yield from parts_of(
                View(inner.module, inner.workflow), f"{prefix}{part.name}/", depth + 1
            )


def explain(module: Module, workflow: WorkflowSource, loaded: Loaded = lambda: None) -> str:
    """Give the whole text.

    Args:
        module: The module.
        workflow: The workflow of it that is meant.
        loaded: Gives the compiled graph, or None where the file may not be loaded.
    """
    view = View(module, workflow)
    parts = list(parts_of(view))
    if any(_unsettled(each) for each in parts) and (definition := loaded()) is not None:
        parts = [_told(each, definition) if _unsettled(each) else each for each in parts]
    sections = [
        _head(view),
        _section("steps", _steps(parts)),
        _section("contracts, as the model will see them", _contracts(view, parts)),
        _section("loops", _loops(view, parts)),
        _section("what it may change", _changes(parts)),
        _section("where people decide", _people(parts)),
    ]
    return "\n\n".join(sections)


def _section(title: str, lines: list[str]) -> str:
    return "\n".join([f"{title}:", *(indent(line, "  ") for line in lines)])


def _head(view: View) -> str:
    steps = view.workflow.setting("max_steps")
    known = value_of(view.module, steps) if steps is not None else (MAX_STEPS, "")
    bound = known[0] if known is not None else "?"
    said = view.workflow.setting("description")
    about = said.value if isinstance(said, Text) else view.module.document.doc
    first = about.strip().partition("\n")[0]
    name = view.workflow.name or view.workflow.variable
    given = view.workflow.setting("input")
    takes = _source(view, given) if given is not None else "nothing"
    start = view.start or "?"
    lines = [f"{name}: {first}" if first else name]
    lines.append(f"takes {takes}, starts at {start}, at most {bound} steps in a run")
    return "\n".join(fill(line, _WIDTH) for line in lines)


def _source(view: View, expr: Any) -> str:
    start, end = view.workflow.at(expr)
    return view.module.document.text.data[start:end].decode("utf-8", "replace")


# Steps and what they cost


def _steps(parts: list[Part]) -> list[str]:
    wide = max((len(each.path) for each in parts), default=0)
    hang = " " * (wide + 2)
    return [
        fill(f"{each.path:{wide}}  {_does(each)}", _WIDTH, subsequent_indent=hang) for each in parts
    ]


def _does(each: Part) -> str:
    part = each.part
    if isinstance(part, MountSource):
        inner = each.view.included(part)
        return f"includes {inner.workflow.name if inner else 'a workflow that is not known'}"
    words = [part.kind]
    output = each.view.output(part.name)
    if (
        output.name != "None"
        and output.name
        and part.kind in {"agent", "checkpoint", "compute", "action", "shell"}
    ):
        words.append(f"gives {output.name}")
    reads = sorted(_reads(each))
    if reads:
        words.append(f"reads {', '.join(reads)}")
    if part.kind in TEXTS:
        words.append(size_of(each, part))
    return "; ".join(words)


def _reads(each: Part) -> set[str]:
    found: set[str] = set()
    for callback in each.part.callbacks:
        deep = each.view.deep(callback)
        found |= {"input"} if deep.input else set()
        targets = [read_target(each.view, read.source) for read in deep.reads]
        found |= {target.name for target in targets if target is not None}
    return found


def size_of(each: Part, node: NodeSource) -> str:
    fixed = fixed_chars(each.view.module, node)
    if node.kind not in _ASKED:
        return f"says {fixed:,} characters of fixed text"
    said = _said(each, node)
    around = 0 if said is None else len(str(said))
    tokens = (fixed + around) // _CHARS_PER_TOKEN
    more = ", and what it reads" if _reads(each) else ""
    return f"about {tokens:,} tokens, {fixed:,} characters of it fixed text{more}"


# Contracts


def _unsettled(each: Part) -> bool:
    part = each.part
    return isinstance(part, NodeSource) and part.kind in _ASKED and _said(each, part) is None


def _told(each: Part, definition: Definition) -> Part:
    node = definition.nodes.get(each.path)
    return each if node is None else replace(each, schema=node.schema)


def _said(each: Part, node: NodeSource, name: str = "") -> StepText | None:
    return said_of(each.view, each.path, node, name, each.schema)


def _contracts(view: View, parts: list[Part]) -> list[str]:
    """Give each step's contract; the same words are not said twice."""
    name = view.workflow.name or view.workflow.variable
    lines: list[str] = []
    first: dict[str, str] = {}
    for each in parts:
        if not isinstance(each.part, NodeSource) or each.part.kind not in _ASKED:
            continue
        said = _said(each, each.part, name)
        if said is None:
            lines.append(f"{each.path}: only the loaded workflow tells its output (`segue trust`)")
            continue
        if not lines:
            lines.append(fill(f"each begins: {said.guard}", _WIDTH))
        how = said.contract.partition(". ")[2]
        like = first.setdefault(how, each.path)
        words = fill(said.contract, _WIDTH) if like == each.path else f"as for {like}"
        body = "\n".join(text for text in (words, said.schema) if text)
        lines.append(f"{each.path}:\n{indent(body, '  ')}")
    return lines or ["the model is never asked"]


def said_of(
    view: View,
    path: str,
    node: NodeSource,
    name: str = "",
    schema: dict[str, Any] | None = None,
) -> StepText | None:
    """Build a step's message around an empty prompt, None where text does not tell."""
    if node.kind not in _ASKED:
        return None
    try:
        schema = schema or schema_of_node(view.module, node)
    except Unsettled:
        return None
    kind = "agent" if node.kind == "decision" else node.kind
    made = NodeDef(path, kind, schema=schema)  # type: ignore[arg-type]  # one of _ASKED
    return step_text(name or view.workflow.name or "", made, _ID, "")


# Loops, changes, people


def _loops(view: View, parts: list[Part]) -> list[str]:
    lines: list[str] = []
    views = [(view, "")]
    for each in parts:
        inner = each.view.included(each.part) if isinstance(each.part, MountSource) else None
        if inner is not None:
            views.append((View(inner.module, inner.workflow), each.path + "/"))
    for one, prefix in views:
        for members in components(one.onward):
            lines.append(_loop(one, prefix, members))
    told = lines or ["none: each step runs at most once"]
    return [fill(line, _WIDTH, subsequent_indent="  ") for line in told]


def _loop(view: View, prefix: str, members: set[str]) -> str:
    inside = [part for part in view.parts if part.name in members]
    bounds: list[str] = []
    for part in inside:
        deep = [view.deep(callback) for callback in part.callbacks]
        if any(each.visit for each in deep):
            bounds.append(f"{part.name} reads ctx.visit")
        if any(each.latest for each in deep):
            bounds.append(f"{part.name} reads ctx.latest")
        if isinstance(part, NodeSource) and part.kind in {"wait", "checkpoint", "human_decision"}:
            bounds.append(f"{part.name} is a {part.kind}")
        if isinstance(part, MountSource) and pauses(view.included(part)):
            bounds.append(f"{part.name} waits or asks inside")
    shown = ", ".join(prefix + part.name for part in inside)
    return f"{shown}: {'; '.join(bounds) or 'bounded by max_steps only'}"


def _changes(parts: list[Part]) -> list[str]:
    lines: list[str] = []
    for each in parts:
        part = each.part
        if not isinstance(part, NodeSource) or part.kind not in {"action", "shell"}:
            continue
        given = part.setting("effect")
        known = value_of(each.view.module, given) if given is not None else None
        after = {
            "idempotent": "is run again after a crash",
            "manual": "waits for a person after a crash",
        }.get(str(known[0]) if known is not None else "", "does not say what a crash means")
        lines.append(f"{each.path} ({part.kind}): {after}")
    agents = sum(isinstance(p.part, NodeSource) and p.part.kind == "agent" for p in parts)
    if agents:
        lines.append("whatever the agent itself does in its turns, as in any conversation")
    return [fill(line, _WIDTH) for line in lines] or ["nothing"]


def _people(parts: list[Part]) -> list[str]:
    lines: list[str] = []
    for each in parts:
        part = each.part
        if isinstance(part, NodeSource) and part.kind == "human_decision":
            lines.append(f"{each.path}: {_choices(each.view, part)}")
        elif isinstance(part, NodeSource) and part.kind == "checkpoint":
            lines.append(f"{each.path}: a checkpoint; the model may answer on the person's word")
    return [fill(line, _WIDTH, subsequent_indent="  ") for line in lines] or ["nowhere"]


def _choices(view: View, node: NodeSource) -> str:
    choices = choices_of(view.module, node) or ("choices that the text does not show",)
    shown = ", ".join(choices)
    texts = words_of(view.module, node.setting("text")) or ()
    if texts:
        shown += f" (with a text: {', '.join(texts)})"
    late = node.setting("on_timeout")
    limit = node.setting("timeout")
    if isinstance(late, Text) and isinstance(limit, Const):
        return f"{shown}; after {limit.value} s without an answer: {late.value}"
    return f"{shown}; waits for an answer"
