"""From a syntax node to an expression. One small reader per form, in one table.

Anything without a reader, and anything nested deeper than people write, is `Unknown`.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Final, NamedTuple

from .bodies import read_body, read_params
from .expr import (
    Attr,
    Call,
    Const,
    Either,
    Expr,
    Items,
    Keyword,
    Lambda,
    Mapping,
    Name,
    Pair,
    Span,
    Subscript,
    Text,
    Unknown,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from tree_sitter import Node

_DEEPEST: Final = 40
_NAMES: Final = re.compile(rb"[A-Za-z_\x80-\xff][A-Za-z0-9_\x80-\xff]*")
_CONSTANTS: Final = {"none": None, "true": True, "false": False}
_SPREAD: Final = frozenset(["list_splat", "dictionary_splat"])
_QUOTES: Final = {'"': 1, "'": 1, '"""': 3, "'''": 3}


class Reader(NamedTuple):
    """The bytes that nodes point into, and the offset that spans are relative to."""

    data: bytes
    base: int
    depth: int = 0

    def span(self, node: Node) -> Span:
        return node.start_byte - self.base, node.end_byte - self.base

    def source(self, node: Node) -> str:
        return self.data[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def unknown(self, node: Node) -> Unknown:
        return Unknown(self.span(node), identifiers(self.data[node.start_byte : node.end_byte]))

    def read(self, node: Node) -> Expr:
        """Give the expression that `node` stands for."""
        form = _FORMS.get(node.type)
        if form is None or self.depth > _DEEPEST:
            return self.unknown(node)
        return form(self, node)

    def inner(self, node: Node) -> Expr:
        """Read a part of an expression, one level deeper."""
        form = _FORMS.get(node.type)
        if form is None or self.depth >= _DEEPEST:
            return self.unknown(node)
        return form(Reader(self.data, self.base, self.depth + 1), node)


def identifiers(data: bytes) -> frozenset[str]:
    """Give all that looks like a name, words in texts and comments included."""
    return frozenset(name.decode("utf-8", "replace") for name in _NAMES.findall(data))


def parts(node: Node) -> list[Node]:
    """Give a node's named children without comments."""
    return [child for child in node.named_children if child.type != "comment"]


def _name(reader: Reader, node: Node) -> Expr:
    data, base, _ = reader
    start, end = node.start_byte, node.end_byte
    return Name((start - base, end - base), data[start:end].decode("utf-8", "replace"))


def _constant(reader: Reader, node: Node) -> Expr:
    return Const(reader.span(node), _CONSTANTS[node.type])


def _number(reader: Reader, node: Node) -> Expr:
    try:
        value = ast.literal_eval(reader.source(node))
    except (ValueError, SyntaxError):
        return reader.unknown(node)
    known = isinstance(value, int | float)
    return Const(reader.span(node), value) if known else reader.unknown(node)


def _string(reader: Reader, node: Node) -> Expr:
    data, base, _ = reader
    start, end = node.start_byte, node.end_byte
    raw = data[start:end].decode("utf-8", "replace")
    span = (start - base, end - base)
    quote = _QUOTES.get(raw[:3], 0) if len(raw) >= 6 else 0
    quote = quote or _QUOTES.get(raw[:1], 0)
    if quote and "\\" not in raw and "\r" not in raw:
        return Text(span, raw[quote:-quote])
    try:
        value = ast.literal_eval(raw)
    except (ValueError, SyntaxError):
        return reader.unknown(node)
    return Text(span, value) if isinstance(value, str) else reader.unknown(node)


def _joined(reader: Reader, node: Node) -> Expr:
    texts = [reader.inner(child) for child in parts(node)]
    if all(isinstance(each, Text) for each in texts):
        value = "".join(each.value for each in texts if isinstance(each, Text))
        return Text(reader.span(node), value)
    return reader.unknown(node)


def _attribute(reader: Reader, node: Node) -> Expr:
    inner, name = node.child_by_field_name("object"), node.child_by_field_name("attribute")
    if inner is None or name is None:
        return reader.unknown(node)
    data, base, _ = reader
    start, first, last = node.start_byte, name.start_byte, name.end_byte
    text = data[first:last].decode("utf-8", "replace")
    where = (first - base, last - base)
    return Attr((start - base, last - base), reader.inner(inner), text, where)


def _member_type(reader: Reader, node: Node) -> Expr:
    children = parts(node)
    if len(children) != 2:
        return reader.unknown(node)
    base, name = children
    return Attr(reader.span(node), reader.inner(base), reader.source(name), reader.span(name))


def _call(reader: Reader, node: Node) -> Expr:
    fn, given = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if fn is None or given is None or given.type != "argument_list":
        return reader.unknown(node)
    args: list[Expr] = []
    keywords: list[Keyword] = []
    unseen = False
    for child in given.named_children:
        kind = child.type
        if kind == "keyword_argument":
            keywords.append(_keyword(reader, child))
        elif kind in _SPREAD or child.is_error:
            unseen = True
        elif kind != "comment":
            args.append(reader.inner(child))
    return Call(reader.span(node), reader.inner(fn), tuple(args), tuple(keywords), unseen)


def _keyword(reader: Reader, node: Node) -> Keyword:
    name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    return Keyword(
        reader.span(node),
        reader.source(name) if name is not None else "",
        reader.span(name if name is not None else node),
        reader.inner(value) if value is not None else reader.unknown(node),
    )


def _mapping(reader: Reader, node: Node) -> Expr:
    pairs: list[Pair] = []
    unseen = False
    for child in parts(node):
        key, value = child.child_by_field_name("key"), child.child_by_field_name("value")
        if child.type == "pair" and key is not None and value is not None:
            pairs.append(Pair(reader.span(child), reader.inner(key), reader.inner(value)))
        else:
            unseen = True
    return Mapping(reader.span(node), tuple(pairs), unseen)


def _items(reader: Reader, node: Node) -> Expr:
    children = parts(node)
    shown = [child for child in children if child.type != "list_splat" and not child.is_error]
    items = tuple(reader.inner(child) for child in shown)
    return Items(reader.span(node), items, len(shown) < len(children))


def _subscript(reader: Reader, node: Node) -> Expr:
    base = node.child_by_field_name("value")
    if base is None:
        return reader.unknown(node)
    items = tuple(reader.inner(each) for each in node.children_by_field_name("subscript"))
    if len(items) == 1 and isinstance(items[0], Items):
        items = items[0].items
    return Subscript(reader.span(node), reader.inner(base), items)


def _generic_type(reader: Reader, node: Node) -> Expr:
    children = parts(node)
    if len(children) != 2:
        return reader.unknown(node)
    items = tuple(reader.inner(each) for each in parts(children[1]))
    return Subscript(reader.span(node), reader.inner(children[0]), items)


def _either(reader: Reader, node: Node) -> Expr:
    children = parts(node)
    bar = any(child.type == "|" for child in node.children)
    if len(children) != 2 or not bar:
        return reader.unknown(node)
    return Either(reader.span(node), reader.inner(children[0]), reader.inner(children[1]))


def _wrapped(reader: Reader, node: Node) -> Expr:
    children = parts(node)
    return reader.inner(children[0]) if len(children) == 1 else reader.unknown(node)


def _negative(reader: Reader, node: Node) -> Expr:
    value = reader.inner(parts(node)[-1])
    minus = bool(node.children) and node.children[0].type == "-"
    if minus and isinstance(value, Const) and isinstance(value.value, int | float):
        return Const(reader.span(node), -value.value)
    return reader.unknown(node)


def _lambda(reader: Reader, node: Node) -> Expr:
    body = node.child_by_field_name("body")
    if body is None:
        return reader.unknown(node)
    params = read_params(reader, node.child_by_field_name("parameters"), node)
    return Lambda(reader.span(node), params, read_body(reader, body, params.first, calls=True))


_FORMS: Final[dict[str, Callable[[Reader, Node], Expr]]] = {
    "identifier": _name,
    "none": _constant,
    "true": _constant,
    "false": _constant,
    "integer": _number,
    "float": _number,
    "string": _string,
    "concatenated_string": _joined,
    "attribute": _attribute,
    "member_type": _member_type,
    "call": _call,
    "dictionary": _mapping,
    "list": _items,
    "tuple": _items,
    "set": _items,
    "subscript": _subscript,
    "generic_type": _generic_type,
    "binary_operator": _either,
    "union_type": _either,
    "parenthesized_expression": _wrapped,
    "type": _wrapped,
    "unary_operator": _negative,
    "lambda": _lambda,
}
