"""Reads a document's statements in order, as the interpreter would run them, into workflows.

Each name holds what it was bound to last. A workflow that is used in any way other than the
author's API shows is marked `open`: what happened there is not known.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeAlias

from .calls import callback, mount_input, node_callbacks
from .expr import Attr, Call, Const, Expr, Mapping, Name, Span, Subscript, Text, names_in
from .facts import Act, Assign, Class, Def, Doc, Import, Imported, Nothing, Other, Placed
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
    from .document import Document

_WORKFLOW: Final = frozenset(["segue.Workflow", "segue.session.workflow.definition.Workflow"])
_FORMS: Final = frozenset(["edge", "switch", "on_failure"])


@dataclass(frozen=True, slots=True)
class Bound:
    """Any other statement's binding: a class, a function, a constant."""

    placed: Placed


class Unclear:
    """A name whose value depends on what text does not settle."""


UNCLEAR: Final = Unclear()


@dataclass(eq=False)
class Growing:
    """A workflow whose statements are still being read."""

    variable: str
    call: Call
    placed: Placed
    nodes: list[NodeSource] = field(default_factory=list)
    mounts: list[MountSource] = field(default_factory=list)
    exits: list[ExitSource] = field(default_factory=list)
    edges: list[EdgeSource] = field(default_factory=list)
    parts: dict[str, NodeSource | MountSource] = field(default_factory=dict)
    open: bool = False

    def add(self, part: NodeSource | MountSource) -> None:
        self.parts.setdefault(part.name, part)
        if isinstance(part, NodeSource):
            self.nodes.append(part)
        else:
            self.mounts.append(part)

    def done(self) -> WorkflowSource:
        """Give the finished workflow; texts that named a part further down now find it."""
        first = self.call.args[0] if self.call.args else self.call.keyword("name")
        edges = tuple(_settled(edge, self.parts) for edge in self.edges)
        return WorkflowSource(
            variable=self.variable,
            call=self.call,
            base=self.placed.start,
            span=self.placed.at(self.call.span),
            name=first.value if isinstance(first, Text) else None,
            name_span=self.placed.at(first.span if first is not None else self.call.span),
            nodes=tuple(self.nodes),
            mounts=tuple(self.mounts),
            exits=tuple(self.exits),
            edges=edges,
            open=self.open or self.call.open,
            parts=self.parts,
        )


@dataclass(frozen=True, slots=True)
class Owned:
    """A node, mount or exit, and the workflow that it belongs to."""

    owner: Growing
    part: NodeSource | MountSource | ExitSource


Value: TypeAlias = Growing | Owned | Bound | Imported | Unclear


def _settled(edge: EdgeSource, parts: dict[str, NodeSource | MountSource]) -> EdgeSource:
    if all(case.target.kind is not TargetKind.TEXT for case in edge.cases):
        return edge
    cases = tuple(
        CaseSource(case.key, case.key_span, _named(case.target, parts), case.span)
        for case in edge.cases
    )
    return EdgeSource(
        edge.form,
        edge.source,
        edge.on,
        edge.on_span,
        cases,
        edge.cases_span,
        edge.open,
        edge.span,
    )


def _named(target: Target, parts: dict[str, NodeSource | MountSource]) -> Target:
    part = parts.get(target.name)
    if target.kind is not TargetKind.TEXT or part is None:
        return target
    kind = TargetKind.NODE if isinstance(part, NodeSource) else TargetKind.MOUNT
    return Target(kind, target.name, target.span)


class Assembly:
    """One reading of a document, statement by statement."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.names: dict[str, Value] = {}
        self.workflows: list[Growing] = []

    def run(self) -> tuple[WorkflowSource, ...]:
        for placed in self.document.statements:
            self._statement(placed)
        return tuple(each.done() for each in self.workflows)

    def _statement(self, placed: Placed) -> None:
        match placed.fact:
            case Def() as fact:
                self._def(placed, fact)
            case Act(call=call):
                self._act(placed, call)
            case Assign() as fact:
                self.names[fact.name] = self._assign(placed, fact)
            case Class(name=name):
                self.names[name] = Bound(placed)
            case Import(names=names):
                for each in names:
                    self.names[each.local] = each
            case Other(names=names, binds=binds):
                self._lose(names)
                for name in binds:
                    self.names[name] = UNCLEAR
            case Doc() | Nothing():
                pass

    # What a statement does

    def _def(self, placed: Placed, fact: Def) -> None:
        owner, kind, maker = self._maker(fact.decorators)
        if owner is None:
            self._lose(fact.body.names)
            for each in fact.decorators:
                self._lose(frozenset(names_in(each)))
            self.names[fact.name] = UNCLEAR if fact.decorators else Bound(placed)
            return
        decorator = fact.decorators[0]
        node = NodeSource(
            name=fact.name,
            kind=kind,
            name_span=placed.at(fact.name_span),
            span=(placed.start, placed.end),
            variable=fact.name,
            maker=maker,
            maker_span=placed.at(decorator.span),
            base=placed.start,
            callbacks=(
                callback("prompt", placed, fact),
                *node_callbacks(maker, placed, self._function),
            ),
            doc=fact.doc,
        )
        owner.add(node)
        self.names[fact.name] = Owned(owner, node)

    def _maker(self, decorators: tuple[Expr, ...]) -> tuple[Growing | None, str, Call | None]:
        """Say which workflow a lone decorator adds a node to, and how."""
        if len(decorators) != 1:
            return None, "", None
        maker = decorators[0]
        call = maker if isinstance(maker, Call) else None
        method = call.fn if call is not None else maker
        owner, kind = self._method(method)
        if owner is None or kind not in SETTINGS or kind == "wait":
            return None, "", None
        return owner, kind, call

    def _act(self, placed: Placed, call: Call) -> None:
        owner, method = self._method(call.fn)
        if owner is None:
            self._lose(frozenset(names_in(call)))
        elif method in _FORMS:
            self._edge(owner, method, placed, call)
        elif self._make(placed, "", call) is UNCLEAR:
            owner.open = True

    def _assign(self, placed: Placed, fact: Assign) -> Value:
        value = fact.value
        if isinstance(value, Name):
            return self.names.get(value.id, UNCLEAR)
        if isinstance(value, Call):
            made = self._make(placed, fact.name, value)
            if not isinstance(made, Unclear):
                return made
        self._lose(frozenset(names_in(value)))
        return Bound(placed)

    def _make(self, placed: Placed, variable: str, call: Call) -> Value:
        """Read a call that gives a handle: a workflow, a wait, a mount, an exit."""
        if self.qualified(call.fn) in _WORKFLOW:
            grown = Growing(variable, call, placed)
            self.workflows.append(grown)
            return grown
        owner, method = self._method(call.fn)
        name = call.args[0] if call.args else None
        if owner is None or method not in {"wait", "include", "exit"}:
            return UNCLEAR
        if not isinstance(name, Text) or call.open:
            owner.open = True
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
        return Owned(owner, node)

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
        return Owned(owner, mount)

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
        return Owned(owner, made)

    def _edge(self, owner: Growing, form: str, placed: Placed, call: Call) -> None:
        if call.open or not call.args:
            owner.open = True
            return
        on, given = call.keyword("on"), call.keyword("cases")
        if form == "switch":
            cases, unseen = self._cases(owner, placed, given)
        else:
            second = call.args[1] if len(call.args) > 1 else None
            cases, unseen = (), second is None
            if second is not None:
                target = self._target(owner, placed, second)
                span = placed.at(second.span)
                cases = (CaseSource(Const(second.span, None), span, target, span),)
        owner.edges.append(
            EdgeSource(
                form=form,
                source=self._start(owner, placed, call.args[0]),
                on=on,
                on_span=placed.at(on.span if on is not None else call.span),
                cases=cases,
                cases_span=placed.at(given.span if given is not None else call.span),
                open=unseen,
                span=placed.at(call.span),
            )
        )

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
        span = placed.at(expr.span)
        match expr:
            case Const(value=None):
                return Target(TargetKind.END, "", span)
            case Text(value=name):
                return _named(Target(TargetKind.TEXT, name, span), owner.parts)
            case Name(id=name):
                return self._handle(owner, name, span)
            case Call(fn=Attr(base=base, name="exit"), args=[which, *_]):
                mount = self._target(owner, placed, base)
                if mount.kind is TargetKind.MOUNT:
                    return Target(TargetKind.PORT, mount.name, span, which, placed.at(which.span))
                return mount
            case _:
                return Target(TargetKind.UNCLEAR, "", span)

    def _handle(self, owner: Growing, name: str, span: Span) -> Target:
        value = self.names.get(name)
        match value:
            case Owned(owner=other, part=NodeSource() | MountSource() as part):
                if other is not owner:
                    return Target(TargetKind.ELSEWHERE, name, span)
                kind = TargetKind.NODE if isinstance(part, NodeSource) else TargetKind.MOUNT
                return Target(kind, part.name, span)
            case None:
                return Target(self._unbound(name), name, span)
            case Bound(placed=Placed(fact=Def() | Class())) | Growing() | Owned():
                return Target(TargetKind.WRONG, name, span)
            case _:
                return Target(TargetKind.UNCLEAR, name, span)

    def _unbound(self, name: str) -> TargetKind:
        if self.document.stars:
            return TargetKind.UNCLEAR
        return TargetKind.LATER if name in self.document.bindings else TargetKind.MISSING

    def _function(self, name: str) -> Placed | None:
        value = self.names.get(name)
        return value.placed if isinstance(value, Bound) else None

    def _method(self, expr: Expr) -> tuple[Growing | None, str]:
        """Read `workflow.method`."""
        if isinstance(expr, Attr) and isinstance(expr.base, Name):
            value = self.names.get(expr.base.id)
            if isinstance(value, Growing):
                return value, expr.name
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

    def _lose(self, names: frozenset[str]) -> None:
        """Mark workflows that are used where text cannot follow."""
        for each in self.workflows:
            if each.variable in names and each.variable:
                each.open = True


def _none(placed: Placed, call: Call) -> Target:
    return Target(TargetKind.UNCLEAR, "", placed.at(call.span))
