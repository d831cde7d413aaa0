"""Every place that names a workflow, a node, a mount or an exit, in one module.

A part has a name, in quotes or as its function's, and a Python handle. For functions both are
one word; for waits, mounts and exits they may differ, and then are two things to rename.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from segue.session.workflow.source.expr import Text
from segue.session.workflow.source.facts import Import
from segue.session.workflow.source.graph import (
    ExitSource,
    MountSource,
    NodeSource,
    TargetKind,
    WorkflowSource,
)
from segue.session.workflow.source.module import Handle, Module, Package

from .scope import is_use, uses

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from segue.session.workflow.rules.view import View
    from segue.session.workflow.source.expr import Span
    from segue.session.workflow.source.facts import Imported, Placed
    from segue.session.workflow.source.graph import Target

Part: TypeAlias = NodeSource | MountSource | ExitSource
QUOTES: Final = (b'"', b"'")


class Form(StrEnum):
    QUOTED = "quoted"
    """A text: the span has the quotes in it."""
    FUNCTION = "function"
    """The function that is the node: name and handle in one."""
    HANDLE = "handle"
    """A Python name."""


class Symbol(NamedTuple):
    """What is named: a part of a workflow, or the workflow itself where there is no part."""

    path: Path
    workflow: str
    """The variable that holds the workflow."""
    kind: str
    name: str
    variable: str

    @property
    def one_word(self) -> bool:
        """Whether name and handle are renamed together."""
        return self.name == self.variable or not self.variable


class Mention(NamedTuple):
    """One place that names a symbol."""

    span: Span
    symbol: Symbol
    form: Form
    declares: bool = False
    named: str = ""
    """The Python name that stands here, for a handle."""


def symbol_of(handle: Handle) -> Symbol:
    """Give the symbol of a workflow or of a part of one."""
    path, workflow, part = handle.module.document.path, handle.workflow, handle.part
    if part is None:
        return Symbol(path, workflow.variable, "workflow", workflow.name or "", workflow.variable)
    kind = {NodeSource: "node", MountSource: "mount", ExitSource: "exit"}[type(part)]
    return Symbol(path, workflow.variable, kind, part.name, part.variable)


def mention_at(view_of: Views, module: Module, offset: int) -> Mention | None:
    """Give what is named at an offset."""
    for each in written(view_of, module):
        if each.span[0] <= offset <= each.span[1]:
            return each
    root = module.document.tree.root_node
    for start in (offset, offset - 1):
        node = root.descendant_for_byte_range(max(start, 0), max(start, 0) + 1)
        if node is not None and node.type == "identifier":
            found = _identifier(module, (node.start_byte, node.end_byte))
            if found is not None:
                return found
    return None


def mentions_of(view_of: Views, module: Module, symbol: Symbol) -> list[Mention]:
    """Give every place of a module that names a symbol, in the order of the text."""
    found = {each.span: each for each in written(view_of, module) if each.symbol == symbol}
    root, data = module.document.tree.root_node, module.document.text.data
    for node in uses(root, data, _locals(module, symbol)):
        span = (node.start_byte, node.end_byte)
        found.setdefault(span, _handle(module, span, symbol))
    for span, handle in (*_imports(module), *_dotted(module, symbol)):
        if symbol_of(handle) == symbol:
            found.setdefault(span, _handle(module, span, symbol))
    return sorted(found.values(), key=lambda each: each.span)


# What the model of the source shows

Views: TypeAlias = "dict[str, View]"
"""The views of a module's workflows, by variable."""


def written(views: Views, module: Module) -> Iterator[Mention]:
    """Give declarations, and names in quotes."""
    for workflow in module.workflows:
        view = views.get(workflow.variable)
        yield from _declared(module, workflow)
        yield from _start(module, workflow)
        for edge in workflow.edges:
            for target in (edge.source, *(case.target for case in edge.cases)):
                yield from _target(module, workflow, target, view)


def _declared(module: Module, workflow: WorkflowSource) -> Iterator[Mention]:
    if workflow.name is not None:
        whole = symbol_of(Handle(module, workflow))
        yield Mention(workflow.name_span, whole, Form.QUOTED, declares=True)
    every: list[Part] = [*workflow.nodes, *workflow.mounts, *workflow.exits]
    for part in every:
        symbol = symbol_of(Handle(module, workflow, part))
        function = isinstance(part, NodeSource) and part.kind != "wait"
        form = Form.FUNCTION if function else Form.QUOTED
        yield Mention(part.name_span, symbol, form, declares=True)


def _start(module: Module, workflow: WorkflowSource) -> Iterator[Mention]:
    given = workflow.setting("start")
    if isinstance(given, Text) and given.value in workflow.parts:
        symbol = symbol_of(Handle(module, workflow, workflow.parts[given.value]))
        yield Mention(workflow.at(given), symbol, Form.QUOTED)


def _target(
    module: Module, workflow: WorkflowSource, target: Target, view: View | None
) -> Iterator[Mention]:
    if target.kind in {TargetKind.NODE, TargetKind.MOUNT} and _is_quoted(module, target.span):
        part = workflow.parts.get(target.name)
        if part is not None:
            symbol = symbol_of(Handle(module, workflow, part))
            yield Mention(target.span, symbol, Form.QUOTED)
    elif target.kind is TargetKind.PORT and isinstance(target.exit, Text) and view is not None:
        mount = workflow.parts.get(target.name)
        inner = view.included(mount) if isinstance(mount, MountSource) else None
        made = view.exit_of(target)
        if inner is not None and made is not None:
            symbol = symbol_of(Handle(inner.module, inner.workflow, made))
            yield Mention(target.exit_span, symbol, Form.QUOTED)


def _is_quoted(module: Module, span: Span) -> bool:
    data = module.document.text.data[span[0] : span[1]].lstrip(b"rRuUbB")
    return data[:1] in QUOTES


# What Python's names show


def _identifier(module: Module, span: Span) -> Mention | None:
    for at, handle in _imports(module):
        if at == span:
            return _handle(module, span, symbol_of(handle))
    node = module.document.tree.root_node.descendant_for_byte_range(*span)
    if node is None:
        return None
    name = (node.text or b"").decode("utf-8", "replace")
    meaning = module.of_name(name) if is_use(node) else _attribute(module, name, span)
    if not isinstance(meaning, Handle):
        return None
    return _handle(module, span, symbol_of(meaning))


def _handle(module: Module, span: Span, symbol: Symbol) -> Mention:
    named = module.document.text.data[span[0] : span[1]].decode("utf-8", "replace")
    return Mention(span, symbol, Form.HANDLE, named=named)


def _locals(module: Module, symbol: Symbol) -> set[str]:
    """Give the module's own names for a symbol."""
    return {
        name
        for name in module.names
        if isinstance(meaning := module.of_name(name), Handle) and symbol_of(meaning) == symbol
    }


def _imports(module: Module) -> Iterator[tuple[Span, Handle]]:
    """Give the names in import statements that mean a part of a workflow."""
    for placed in module.document.statements:
        if isinstance(placed.fact, Import):
            for each in placed.fact.names:
                yield from _import(module, placed, each)


def _import(module: Module, placed: Placed, name: Imported) -> Iterator[tuple[Span, Handle]]:
    if not name.attr:
        return
    found = module.library.find(name.module, module.document.path)
    meaning = found.of_name(name.attr) if found is not None else None
    if not isinstance(meaning, Handle):
        return
    start, end = placed.at(name.span)
    yield (start, start + len(name.attr.encode())), meaning
    if name.local != name.attr:
        yield (end - len(name.local.encode()), end), meaning


def _dotted(module: Module, symbol: Symbol) -> Iterator[tuple[Span, Handle]]:
    """Give uses such as `child.done`, where `child` is an imported file."""
    packages = {
        name
        for name in module.names
        if isinstance(meaning := module.of_name(name), Package)
        and meaning.module.document.path == symbol.path
    }
    root, data = module.document.tree.root_node, module.document.text.data
    for node in uses(root, data, packages):
        parent = node.parent
        last = parent.child_by_field_name("attribute") if parent is not None else None
        if last is None or last == node:
            continue
        span = (last.start_byte, last.end_byte)
        meaning = _attribute(module, (last.text or b"").decode("utf-8", "replace"), span)
        if isinstance(meaning, Handle):
            yield span, meaning


def _attribute(module: Module, name: str, span: Span) -> Handle | None:
    node = module.document.tree.root_node.descendant_for_byte_range(*span)
    parent = node.parent if node is not None else None
    owner = parent.child_by_field_name("object") if parent is not None else None
    if owner is None or owner.type != "identifier" or not is_use(owner):
        return None
    package = module.of_name((owner.text or b"").decode("utf-8", "replace"))
    meaning = package.module.of_name(name) if isinstance(package, Package) else None
    return meaning if isinstance(meaning, Handle) else None
