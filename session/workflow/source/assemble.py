"""Reads a document's statements in order, as the interpreter would run them, into workflows.

Each name holds what it was bound to last. A workflow that is used in any way other than the
author's API shows is marked `open`: what happened there is not known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .bindings import NO_KEY, UNCLEAR, Bound, Growing, Made, Owned, Unclear, Value, named
from .calls import callback, mount_input, node_callbacks
from .expr import Attr, Call, Const, Expr, Mapping, Name, Span, Subscript, Text, names_in
from .facts import Act, Assign, Class, Def, Import, Imported, Other, Placed
from .graph import (
    SETTINGS,
    CaseSource,
    EdgeSource,
    ExitSource,
    MountSource,
    NodeSource,
    Target,
    TargetKind,
    WorkflowSource,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .document import Document
    from .graph import Callback

_WORKFLOW: Final = frozenset(["segue.Workflow", "segue.session.workflow.definition.Workflow"])
_FORMS: Final = frozenset(["edge", "switch", "on_failure"])


class Assembly:
    """One reading of a document, statement by statement."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.names: dict[str, Value] = {}
        self.workflows: list[Growing] = []
        self._bound: list[tuple[int, str, Value]] = []
        """Each binding in order, with the place of its statement."""

    def run(self, earlier: Assembly | None = None) -> tuple[WorkflowSource, ...]:
        """Read every statement; what an earlier version has in front of the edit is taken over."""
        statements = self.document.statements
        same = 0 if earlier is None else _same(earlier.document.statements, statements)
        if earlier is not None and same:
            end = statements[same].start if same < len(statements) else statements[-1].end
            self._take(earlier, min(end, statements[same - 1].end))
        for placed in statements[same:]:
            self._statement(placed)
        return tuple(each.done() for each in self.workflows)

    def _take(self, earlier: Assembly, end: int) -> None:
        self.workflows = [each.before(end) for each in earlier.workflows if each.placed.start < end]
        self._bound = [each for each in earlier._bound if each[0] < end]
        self.names = {name: value for _, name, value in self._bound}

    def _bind(self, placed: Placed, name: str, value: Value) -> None:
        self.names[name] = value
        self._bound.append((placed.start, name, value))

    def _statement(self, placed: Placed) -> None:
        fact = placed.fact
        if isinstance(fact, Act):
            self._act(placed, fact.call)
        elif isinstance(fact, Def):
            self._def(placed, fact)
        elif isinstance(fact, Class):
            self._bind(placed, fact.name, Bound(placed))
        elif isinstance(fact, Assign):
            self._bind(placed, fact.name, self._assign(placed, fact))
        elif isinstance(fact, Import):
            for each in fact.names:
                self._bind(placed, each.local, each)
        elif isinstance(fact, Other):
            self._lose(placed, fact.names)
            for name in fact.binds:
                self._bind(placed, name, UNCLEAR)

    # What a statement does

    def _def(self, placed: Placed, fact: Def) -> None:
        decorators = fact.decorators
        maker = decorators[0] if len(decorators) == 1 else None
        call = maker if isinstance(maker, Call) else None
        owner, kind = self._method(call.fn if call is not None else maker)
        if owner is None or maker is None or kind not in SETTINGS or kind == "wait":
            self._lose(placed, fact.body.names)
            for each in decorators:
                self._lose(placed, frozenset(names_in(each)))
            self._bind(placed, fact.name, UNCLEAR if decorators else Bound(placed))
            return
        start = placed.start
        first = callback("prompt", placed, fact)
        callbacks: tuple[Callback, ...] = (first,)
        if call is not None:
            callbacks = (first, *node_callbacks(call, placed, self._function))
        # By position: this is done for every node after every keystroke.
        node = NodeSource(
            fact.name,
            kind,
            first.span,
            (start, placed.end),
            fact.name,
            call,
            (start + maker.span[0], start + maker.span[1]),
            start,
            callbacks,
            fact.doc,
        )
        owner.add(node)
        self._bind(placed, fact.name, Owned(owner.number, node))

    def _act(self, placed: Placed, call: Call) -> None:
        owner, method = self._method(call.fn)
        if owner is None:
            self._lose(placed, frozenset(names_in(call)))
        elif method in _FORMS:
            self._edge(owner, method, placed, call)
        elif self._make(placed, "", call) is UNCLEAR:
            owner.lose(placed.start)

    def _assign(self, placed: Placed, fact: Assign) -> Value:
        value = fact.value
        if isinstance(value, Name):
            return self.names.get(value.id, UNCLEAR)
        if isinstance(value, Call):
            made = self._make(placed, fact.name, value)
            if not isinstance(made, Unclear):
                return made
        self._lose(placed, frozenset(names_in(value)))
        return Bound(placed)

    def _make(self, placed: Placed, variable: str, call: Call) -> Value:
        """Read a call that gives a handle: a workflow, a wait, a mount, an exit."""
        if self.qualified(call.fn) in _WORKFLOW:
            number = len(self.workflows)
            self.workflows.append(Growing(number, variable, call, placed))
            return Made(number)
        owner, method = self._method(call.fn)
        name = call.args[0] if call.args else None
        if owner is None or method not in {"wait", "include", "exit"}:
            return UNCLEAR
        if not isinstance(name, Text) or call.open:
            owner.lose(placed.start)
            return UNCLEAR
        if method == "wait":
            return self._wait(owner, placed, variable, call, name)
        if method == "include":
            return self._include(owner, placed, variable, call, name)
        return self._exit(owner, placed, variable, call, name)

    def _wait(self, owner: Growing, placed: Placed, variable: str, call: Call, name: Text) -> Value:
        node = NodeSource(
            name=name.value,
            kind="wait",
            name_span=placed.at(name.span),
            span=(placed.start, placed.end),
            variable=variable,
            maker=call,
            maker_span=placed.at(call.span),
            base=placed.start,
            callbacks=node_callbacks(call, placed, self._function),
        )
        owner.add(node)
        return Owned(owner.number, node)

    def _include(
        self, owner: Growing, placed: Placed, variable: str, call: Call, name: Text
    ) -> Value:
        included = call.args[1] if len(call.args) > 1 else call.keyword("workflow")
        mount = MountSource(
            name=name.value,
            name_span=placed.at(name.span),
            span=(placed.start, placed.end),
            variable=variable,
            workflow=included,
            workflow_span=placed.at(included.span if included is not None else call.span),
            callbacks=mount_input(call, placed, self._function),
        )
        owner.add(mount)
        return Owned(owner.number, mount)

    def _exit(self, owner: Growing, placed: Placed, variable: str, call: Call, name: Text) -> Value:
        node = call.args[1] if len(call.args) > 1 else call.keyword("node")
        made = ExitSource(
            name=name.value,
            name_span=placed.at(name.span),
            span=(placed.start, placed.end),
            variable=variable,
            node=self._target(owner, placed, node) if node is not None else _none(placed, call),
            output=call.keyword("output"),
            base=placed.start,
        )
        owner.exits.append(made)
        return Owned(owner.number, made)

    def _edge(self, owner: Growing, form: str, placed: Placed, call: Call) -> None:
        if call.open or not call.args:
            owner.lose(placed.start)
            return
        start = placed.start
        first, last = call.span
        span = (start + first, start + last)
        on, given = None, None
        on_span = cases_span = span
        if form == "switch":
            on, given = call.keyword("on"), call.keyword("cases")
            on_span = placed.at(on.span) if on is not None else span
            cases_span = placed.at(given.span) if given is not None else span
            cases, unseen = self._cases(owner, placed, given)
        elif len(call.args) > 1:
            target = self._target(owner, placed, call.args[1])
            cases = (CaseSource(NO_KEY, target.span, target, target.span),)
            unseen = False
        else:
            cases, unseen = (), True
        source = self._start(owner, placed, call.args[0])
        owner.edges.append(EdgeSource(form, source, on, on_span, cases, cases_span, unseen, span))

    def _cases(
        self, owner: Growing, placed: Placed, given: Expr | None
    ) -> tuple[tuple[CaseSource, ...], bool]:
        at = placed
        if isinstance(given, Name):
            bound = self.names.get(given.id)
            if isinstance(bound, Bound) and isinstance(bound.placed.fact, Assign):
                at, given = bound.placed, bound.placed.fact.value
        if not isinstance(given, Mapping):
            return (), True
        cases = tuple(
            CaseSource(
                pair.key,
                at.at(pair.key.span),
                self._target(owner, at, pair.value),
                at.at(pair.span),
            )
            for pair in given.pairs
        )
        return cases, given.open

    # What a name or an expression stands for

    def _start(self, owner: Growing, placed: Placed, expr: Expr) -> Target:
        """Read an edge's source: unlike a target it cannot be a text."""
        if isinstance(expr, Text):
            return Target(TargetKind.TEXT, expr.value, placed.at(expr.span))
        return self._target(owner, placed, expr)

    def _target(self, owner: Growing, placed: Placed, expr: Expr) -> Target:
        start = placed.start
        span = (start + expr.span[0], start + expr.span[1])
        match expr:
            case Name(id=name):
                return self._handle(owner, name, span)
            case Text(value=name):
                return named(Target(TargetKind.TEXT, name, span), owner.parts)
            case Const(value=None):
                return Target(TargetKind.END, "", span)
            case Call(fn=Attr(base=base, name="exit"), args=[which, *_]):
                mount = self._target(owner, placed, base)
                if mount.kind is TargetKind.MOUNT:
                    return Target(TargetKind.PORT, mount.name, span, which, placed.at(which.span))
                return mount
            case _:
                return Target(TargetKind.UNCLEAR, "", span)

    def _handle(self, owner: Growing, name: str, span: Span) -> Target:
        value = self.names.get(name)
        if isinstance(value, Owned):
            part = value.part
            if isinstance(part, ExitSource):
                return Target(TargetKind.WRONG, name, span)
            if value.owner != owner.number:
                return Target(TargetKind.ELSEWHERE, name, span)
            kind = TargetKind.NODE if isinstance(part, NodeSource) else TargetKind.MOUNT
            return Target(kind, part.name, span)
        if value is None:
            return Target(self._unbound(name), name, span)
        wrong = isinstance(value, Made) or (
            isinstance(value, Bound) and isinstance(value.placed.fact, Def | Class)
        )
        return Target(TargetKind.WRONG if wrong else TargetKind.UNCLEAR, name, span)

    def _unbound(self, name: str) -> TargetKind:
        if self.document.stars:
            return TargetKind.UNCLEAR
        return TargetKind.LATER if name in self.document.bindings else TargetKind.MISSING

    def _function(self, name: str) -> Placed | None:
        value = self.names.get(name)
        return value.placed if isinstance(value, Bound) else None

    def _method(self, expr: Expr | None) -> tuple[Growing | None, str]:
        """Read `workflow.method`."""
        if isinstance(expr, Attr) and isinstance(expr.base, Name):
            value = self.names.get(expr.base.id)
            if isinstance(value, Made):
                return self.workflows[value.owner], expr.name
        return None, ""

    def qualified(self, expr: Expr) -> str:
        """Give the dotted name of something imported, or nothing."""
        match expr:
            case Name(id=name):
                value = self.names.get(name)
                if isinstance(value, Imported):
                    return f"{value.module}.{value.attr}" if value.attr else value.module
            case Attr(base=base, name=name):
                inner = self.qualified(base)
                return f"{inner}.{name}" if inner else ""
            case Subscript(base=base):
                return self.qualified(base)
            case _:
                pass
        return ""

    def _lose(self, placed: Placed, names: frozenset[str]) -> None:
        """Mark workflows that are used where text cannot follow."""
        for each in self.workflows:
            if each.variable in names and each.variable:
                each.lose(placed.start)


def _same(old: Sequence[Placed], new: Sequence[Placed]) -> int:
    """Count the statements in front that say the same at the same place."""
    count = 0
    for one, other in zip(old, new, strict=False):
        if one.fact is not other.fact or one.start != other.start or one.end != other.end:
            break
        count += 1
    return count


def _none(placed: Placed, call: Call) -> Target:
    return Target(TargetKind.UNCLEAR, "", placed.at(call.span))
