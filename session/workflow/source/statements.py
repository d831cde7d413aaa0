"""From one top-level statement of the syntax tree to its facts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from .bodies import read_body, read_params
from .expr import Attr, Call, Expr, Text
from .expressions import Reader, identifiers, parts
from .facts import (
    Act,
    Assign,
    Class,
    Def,
    Doc,
    Fact,
    Field,
    Import,
    Imported,
    Member,
    Nothing,
    Other,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from tree_sitter import Node

_MAIN: Final = re.compile(rb"if\s+__name__\s*==")
_TYPE_CHECKING: Final = re.compile(rb"if\s+(?:typing\.)?TYPE_CHECKING\s*:")
_SPEAKING: Final = frozenset(
    "agent assistant decision action shell notify checkpoint human_decision".split()
)
_BINDERS: Final = frozenset(["function_definition", "class_definition"])


def read_statement(node: Node, data: bytes) -> Fact:
    """Give what the statement says; broken or unusual ones are `Other`."""
    reader = Reader(data, node.start_byte)
    form = _FORMS.get(node.type)
    if form is None or (node.has_error and not _only_inside(node)):
        return _other(reader, node)
    return form(reader, node)


def _only_inside(node: Node) -> bool:
    """Whether what is broken lies inside a function's body, and the rest can be read."""
    inner = node.child_by_field_name("definition") if node.type.startswith("decorated") else node
    if inner is None or inner.type != "function_definition":
        return False
    body = inner.child_by_field_name("body")
    outer = [*node.children, *inner.children] if inner is not node else inner.children
    return not any(child.has_error for child in outer if child not in (inner, body))


def _other(reader: Reader, node: Node) -> Other:
    data = reader.data[node.start_byte : node.end_byte]
    return Other(identifiers(data), frozenset(_binds(reader, node)), node.has_error)


def _binds(reader: Reader, node: Node) -> set[str]:
    """Names that some statement in here may bind: over-careful on purpose."""
    bound: set[str] = set()
    stack = [node]
    while stack:
        each = stack.pop()
        if each.type in _BINDERS:
            name = each.child_by_field_name("name")
            bound |= {reader.source(name)} if name is not None else set()
            continue
        target = each.child_by_field_name("left")
        if target is not None or each.type in {"as_pattern_target", "ERROR"}:
            inside = target or each
            bound |= identifiers(reader.data[inside.start_byte : inside.end_byte])
        if each.type.startswith("import") or each.type in {"named_expression", "delete_statement"}:
            bound |= identifiers(reader.data[each.start_byte : each.end_byte])
        stack.extend(each.named_children)
    return bound


def _import(reader: Reader, node: Node) -> Fact:
    names: list[Imported] = []
    for child in node.children_by_field_name("name"):
        module, local = _imported(reader, child)
        bound = local or module.split(".")[0]
        names.append(Imported(reader.span(child), bound, module if local else bound, ""))
    return Import(tuple(names), star=False)


def _import_from(reader: Reader, node: Node) -> Fact:
    source = node.child_by_field_name("module_name")
    module = reader.source(source) if source is not None else ""
    names: list[Imported] = []
    for child in node.children_by_field_name("name"):
        attr, local = _imported(reader, child)
        names.append(Imported(reader.span(child), local or attr, module, attr))
    star = any(child.type == "wildcard_import" for child in node.named_children)
    return Import(tuple(names), star)


def _imported(reader: Reader, node: Node) -> tuple[str, str]:
    if node.type != "aliased_import":
        return reader.source(node), ""
    name, alias = node.child_by_field_name("name"), node.child_by_field_name("alias")
    return (
        reader.source(name) if name is not None else "",
        reader.source(alias) if alias is not None else "",
    )


def _future(_reader: Reader, _node: Node) -> Fact:
    return Nothing()


def _expression(reader: Reader, node: Node) -> Fact:
    children = parts(node)
    if len(children) != 1:
        return _other(reader, node)
    child = children[0]
    if child.type == "assignment":
        return _assign(reader, child) or _other(reader, node)
    if child.type in {"string", "concatenated_string"}:
        value = reader.read(child)
        return Doc(value.value) if isinstance(value, Text) else Nothing()
    value = reader.read(child)
    return Act(value) if isinstance(value, Call) else _other(reader, node)


def _assign(reader: Reader, node: Node) -> Assign | None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None or left.type != "identifier" or right.type == "assignment":
        return None
    said = node.child_by_field_name("type")
    annotation = reader.read(said) if said is not None else None
    return Assign(reader.source(left), reader.span(left), reader.read(right), annotation)


def _type_alias(reader: Reader, node: Node) -> Fact:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        return _other(reader, node)
    return Assign(reader.source(left), reader.span(left), reader.read(right), None)


def _decorated(reader: Reader, node: Node) -> Fact:
    inner = node.child_by_field_name("definition")
    decorators = [
        reader.read(parts(child)[0])
        for child in node.named_children
        if child.type == "decorator" and parts(child)
    ]
    if inner is not None and inner.type == "function_definition":
        return _function(reader, inner, tuple(decorators))
    if inner is not None and inner.type == "class_definition":
        return _class(reader, inner, tuple(decorators))
    return _other(reader, node)


def _function(reader: Reader, node: Node, decorators: tuple[Expr, ...] = ()) -> Fact:
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if name is None or body is None:
        return _other(reader, node)
    params = read_params(reader, node.child_by_field_name("parameters"), node)
    returns = node.child_by_field_name("return_type")
    calls = not any(_speaks(each) for each in decorators)
    return Def(
        name=reader.source(name),
        name_span=reader.span(name),
        decorators=decorators,
        params=params,
        returns=reader.read(returns) if returns is not None else None,
        body=read_body(reader, body, params.first, calls=calls),
        doc=_docstring(reader, body),
    )


def _speaks(decorator: Expr) -> bool:
    """Whether a decorator makes a node whose callback may call what it likes."""
    made = decorator.fn if isinstance(decorator, Call) else decorator
    return isinstance(made, Attr) and made.name in _SPEAKING


def _docstring(reader: Reader, body: Node) -> str:
    if reader.data[body.start_byte : body.start_byte + 1] not in {b'"', b"'"}:
        return ""
    first = body.named_children[0].named_children
    value = reader.read(first[0]) if first else None
    return value.value if isinstance(value, Text) else ""


def _class(reader: Reader, node: Node, decorators: tuple[Expr, ...] = ()) -> Fact:
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if name is None or body is None:
        return _other(reader, node)
    given = node.child_by_field_name("superclasses")
    fields: list[Field] = []
    members: list[Member] = []
    others: set[str] = set()
    for child in parts(body):
        _class_part(reader, child, fields, members, others)
    bases = [each for each in parts(given) if each.type != "keyword_argument"] if given else []
    return Class(
        name=reader.source(name),
        name_span=reader.span(name),
        decorators=decorators,
        bases=tuple(reader.read(each) for each in bases),
        fields=tuple(fields),
        members=tuple(members),
        others=frozenset(others),
        doc=_docstring(reader, body),
    )


def _class_part(
    reader: Reader, node: Node, fields: list[Field], members: list[Member], others: set[str]
) -> None:
    inner = node.named_children[0] if node.type == "expression_statement" else node
    left = inner.child_by_field_name("left") if inner.type == "assignment" else None
    if left is None or left.type != "identifier":
        others |= _binds(reader, node)
        return
    said, right = inner.child_by_field_name("type"), inner.child_by_field_name("right")
    name, span = reader.source(left), reader.span(left)
    if said is not None:
        default = reader.read(right) if right is not None else None
        fields.append(Field(span, name, reader.read(said), default))
    elif right is not None:
        members.append(Member(span, name, reader.read(right)))


def _if(reader: Reader, node: Node) -> Fact:
    """`if __name__ == ...` never runs on import; `if TYPE_CHECKING` brings only names."""
    head = reader.data[node.start_byte : node.start_byte + 80]
    if _MAIN.match(head):
        return Nothing()
    body = node.child_by_field_name("consequence")
    if not _TYPE_CHECKING.match(head) or body is None or node.child_by_field_name("alternative"):
        return _other(reader, node)
    found = [read_import(reader, child) for child in parts(body)]
    known = [each for each in found if each is not None]
    if len(known) < len(found):
        return _other(reader, node)
    return Import(
        tuple(name for each in known for name in each.names), any(each.star for each in known)
    )


def read_import(reader: Reader, node: Node) -> Import | None:
    """Give an import's facts, or None for any other statement."""
    form = _IMPORTS.get(node.type)
    fact = form(reader, node) if form is not None else None
    return fact if isinstance(fact, Import) else None


def _nothing(_reader: Reader, _node: Node) -> Fact:
    return Nothing()


_IMPORTS: Final[dict[str, Callable[[Reader, Node], Fact]]] = {
    "import_statement": _import,
    "import_from_statement": _import_from,
}
_FORMS: Final[dict[str, Callable[[Reader, Node], Fact]]] = {
    **_IMPORTS,
    "future_import_statement": _future,
    "expression_statement": _expression,
    "type_alias_statement": _type_alias,
    "decorated_definition": _decorated,
    "function_definition": _function,
    "class_definition": _class,
    "if_statement": _if,
    "pass_statement": _nothing,
    "comment": _nothing,
}
