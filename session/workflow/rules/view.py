"""One workflow as rules look at it: its graph, what is settled about it, and how to report.

Rules share this and nothing else. Whatever text does not settle is told by `settled`, by
`Callbacks.known` and by targets of kind `unclear`; a rule that needs it keeps quiet.
"""

from __future__ import annotations

from collections import Counter
from difflib import get_close_matches
from functools import cached_property
from typing import TYPE_CHECKING, Final

from ..findings import SEVERITIES, Change, Code, Finding, Fix, Severity
from ..source.expr import Attr, Const, Expr, Name, Text
from ..source.graph import EdgeSource, MountSource, NodeSource, Target, TargetKind
from ..source.module import Handle, Outside
from ..source.outputs import choices_of, exit_output, output_of
from ..source.types import UNKNOWN, Type, value_of
from .bodies import Deep, deep

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..source.expr import Span
    from ..source.graph import Callback, ExitSource, WorkflowSource
    from ..source.module import Module

KNOWN: Final = frozenset([TargetKind.NODE, TargetKind.MOUNT, TargetKind.END, TargetKind.PORT])
_OUTCOME: Final = frozenset(["segue.OUTCOME", "segue.session.workflow.handles.OUTCOME"])
OUTCOMES: Final = ("ok", "failed", "timed_out")
END: Final = ""


class Outcome:
    """The switch rests on how the step ended."""


OUTCOME: Final = Outcome()


class View:
    """A workflow of a module. Everything here is worked out once, when first asked for."""

    def __init__(self, module: Module, workflow: WorkflowSource) -> None:
        self.module = module
        self.workflow = workflow
        self._outputs: dict[str, Type] = {}
        self._deep: dict[int, Deep] = {}

    # Reporting

    def finding(
        self,
        code: Code,
        message: str,
        span: Span,
        subject: str = "",
        fix: Fix | None = None,
    ) -> Finding:
        return report(self.module, code, message, span, subject, fix)

    # Parts and edges

    @cached_property
    def parts(self) -> tuple[NodeSource | MountSource, ...]:
        """Nodes and mounts in the order of the text."""
        both: list[NodeSource | MountSource] = [*self.workflow.nodes, *self.workflow.mounts]
        return tuple(sorted(both, key=lambda part: part.span))

    @cached_property
    def exits_left(self) -> dict[str, set[str]]:
        """For each mount, the exits that have an onward edge."""
        found: dict[str, set[str]] = {}
        for edge in self.workflow.edges:
            if edge.source.kind is TargetKind.PORT and edge.form != "on_failure":
                found.setdefault(edge.source.name, set()).add(self.exit_name(edge.source) or "")
        return found

    @cached_property
    def left(self) -> set[str]:
        """Nodes that have an onward edge or switch."""
        return {
            edge.source.name
            for edge in self.workflow.edges
            if edge.source.kind is TargetKind.NODE and edge.form != "on_failure"
        }

    @cached_property
    def settled(self) -> bool:
        """Whether the text shows the whole graph: every node and where each leads."""
        workflow = self.workflow
        counts = Counter(part.name for part in self.parts)
        return (
            not workflow.open
            and self.start in workflow.parts
            and all(count == 1 for count in counts.values())
            and all(_clear(edge) for edge in workflow.edges)
        )

    @cached_property
    def start(self) -> str:
        given = self.workflow.setting("start")
        known = value_of(self.module, given) if given is not None else None
        return known[0] if known is not None and isinstance(known[0], str) else ""

    @cached_property
    def onward(self) -> dict[str, set[str]]:
        """Where each part leads; the empty name is the end of the run."""
        found: dict[str, set[str]] = {part.name: set() for part in self.parts}
        for edge in self.workflow.edges:
            if edge.source.name in found:
                found[edge.source.name] |= {case.target.name for case in edge.cases}
        for node in self.workflow.nodes:
            if node.name not in self.left:
                found[node.name].add(END)
        for mount in self.workflow.mounts:
            if self.can_end_inside(mount):
                found[mount.name].add(END)
        return found

    def can_end_inside(self, mount: MountSource) -> bool:
        """Whether the run can end in a mount: at an exit that leads nowhere, or at no exit."""
        inner = self.included(mount)
        if inner is None or inner.workflow.open:
            return True
        exits = {each.name for each in inner.workflow.exits}
        if exits - self.exits_left.get(mount.name, set()) or not exits:
            return True
        ending = {each.node.name for each in inner.workflow.exits}
        view = View(inner.module, inner.workflow)
        return any(
            END in view._own_ends(node.name)
            for node in inner.workflow.nodes
            if node.name not in ending
        )

    def _own_ends(self, name: str) -> set[str]:
        """Give the end of the run if the node itself leads to it; mounts aside."""
        targets = {
            case.target.name
            for edge in self.workflow.edges
            if edge.source.kind is TargetKind.NODE and edge.source.name == name
            for case in edge.cases
        }
        return targets if name in self.left else targets | {END}

    def included(self, mount: MountSource) -> Handle | None:
        """Give the workflow that a mount includes, where its text is known."""
        meaning = self.module.meaning(mount.workflow) if mount.workflow is not None else None
        return meaning if isinstance(meaning, Handle) and meaning.part is None else None

    def exit_of(self, port: Target) -> ExitSource | None:
        """Give the exit that a port names, where its text is known."""
        mount = self.workflow.parts.get(port.name)
        inner = self.included(mount) if isinstance(mount, MountSource) else None
        name = self.exit_name(port)
        if inner is None or name is None:
            return None
        return next((each for each in inner.workflow.exits if each.name == name), None)

    def exit_name(self, port: Target) -> str | None:
        """Give the name of a port's exit, None where text does not settle it."""
        match port.exit:
            case Text(value=name):
                return name
            case Name() | Attr():
                meaning = self.module.meaning(port.exit)
                if isinstance(meaning, Handle) and meaning.part is not None:
                    return meaning.part.name
                return None
            case _:
                return None

    # What nodes say and what rests on it

    def output(self, name: str) -> Type:
        """Give the type of a node's output."""
        if name not in self._outputs:
            part = self.workflow.parts.get(name)
            self._outputs[name] = (
                output_of(self.module, part) if isinstance(part, NodeSource) else UNKNOWN
            )
        return self._outputs[name]

    def source_output(self, source: Target) -> tuple[Type, tuple[str, ...] | None]:
        """Give the type of an edge's source, and a decision's choices."""
        if source.kind is TargetKind.PORT:
            made = self.exit_of(source)
            mount = self.workflow.parts.get(source.name)
            inner = self.included(mount) if isinstance(mount, MountSource) else None
            if made is None or inner is None:
                return UNKNOWN, None
            return exit_output(inner.module, made), None
        part = self.workflow.parts.get(source.name)
        choices = choices_of(self.module, part) if isinstance(part, NodeSource) else None
        return self.output(source.name), choices

    def on(self, edge: EdgeSource) -> str | Outcome | None:
        """Give what a switch rests on; None where text does not settle it."""
        expr = edge.on
        if expr is None:
            return None
        meaning = self.module.meaning(expr)
        if isinstance(meaning, Outside) and meaning.name in _OUTCOME:
            return OUTCOME
        known = value_of(self.module, expr)
        return known[0] if known is not None and isinstance(known[0], str) else None

    # Callbacks

    def callbacks(self, part: NodeSource | MountSource) -> Iterable[Callback]:
        return part.callbacks

    def deep(self, callback: Callback) -> Deep:
        """Give what a callback does, helper functions of this file included."""
        key = id(callback)
        if key not in self._deep:
            self._deep[key] = deep(self.module, callback)
        return self._deep[key]


def _clear(edge: EdgeSource) -> bool:
    ends = [edge.source, *(case.target for case in edge.cases)]
    return not edge.open and all(each.kind in KNOWN for each in ends)


def report(
    module: Module,
    code: Code,
    message: str,
    span: Span,
    subject: str = "",
    fix: Fix | None = None,
) -> Finding:
    """Make a finding about a range of the module's text."""
    text = module.document.text
    start, end = text.position(span[0]), text.position(span[1])
    return Finding(
        code=code,
        severity=SEVERITIES.get(code, Severity.ERROR),
        message=message,
        path=str(module.document.path),
        line=start.line,
        column=start.column,
        subject=subject,
        end_line=end.line,
        end_column=end.column,
        start=span[0],
        end=span[1],
        fix=fix,
    )


def nearest(word: str, words: Iterable[str]) -> str | None:
    """Give the one word that a misspelling must have meant, if there is one."""
    near = get_close_matches(word, list(words), n=2, cutoff=0.75)
    return near[0] if len(near) == 1 else None


def listed(words: Iterable[str]) -> str:
    """Give a few names for a message."""
    names = list(words)
    more = ", ..." if len(names) > 8 else ""
    return ", ".join(names[:8]) + more if names else "none"


def replace(title: str, span: Span, new: str, *, safe: bool = True) -> Fix:
    return Fix(title, (Change(span[0], span[1], new),), safe)


def is_none(expr: Expr | None) -> bool:
    return expr is None or (isinstance(expr, Const) and expr.value is None)
