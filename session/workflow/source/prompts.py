"""How much of a prompt is fixed text: what a callback returns, without what it fills in.

Only asked where a prompt may be too long, and by `explain`; so the statement is parsed again
by itself and facts stay small.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from .expr import Const, Text
from .expressions import Reader, parts
from .facts import Assign
from .module import Here
from .syntax import parse

if TYPE_CHECKING:
    from tree_sitter import Node

    from .graph import NodeSource
    from .module import Module

_DEEPEST: Final = 40
_KEEPING: Final = frozenset(["format", "strip", "rstrip", "lstrip", "dedent", "cleandoc"])
"""Calls whose result is about as long as the text they are given."""
_CLOSED: Final = frozenset(["function_definition", "lambda", "class_definition"])


def fixed_chars(module: Module, node: NodeSource) -> int:
    """Give the length of the longest fixed text that the node's callback can return."""
    data = module.document.text.data[node.span[0] : node.span[1]]
    root = parse(data).root_node
    scope = _Scope(module, data, {})
    function = _first(root, "function_definition")
    if function is None:
        return 0
    body = function.child_by_field_name("body")
    if body is None:
        return 0
    returns: list[Node] = []
    _walk(body, data, returns, scope.local)
    return max((scope.size(parts(each)[0], 0) for each in returns if parts(each)), default=0)


def _first(root: Node, kind: str) -> Node | None:
    stack = [root]
    while stack:
        node = stack.pop()
        if node.type == kind:
            return node
        stack.extend(reversed(node.named_children))
    return None


def _walk(body: Node, data: bytes, returns: list[Node], local: dict[str, list[Node]]) -> None:
    """Collect return statements and simple assignments, nested functions left out."""
    stack = [body]
    while stack:
        node = stack.pop()
        if node.type in _CLOSED:
            continue
        if node.type == "return_statement":
            returns.append(node)
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if node.type == "assignment" and left is not None and right is not None:
            name = data[left.start_byte : left.end_byte].decode("utf-8", "replace")
            local.setdefault(name, []).append(right)
        stack.extend(node.named_children)


@dataclass(frozen=True)
class _Scope:
    """Where names of a text are looked up: the function first, then its module."""

    module: Module
    data: bytes
    local: dict[str, list[Node]]

    def size(self, node: Node, depth: int) -> int:
        """Give the fixed characters of an expression; 0 for what is filled in."""
        if depth > _DEEPEST:
            return 0
        inner = [child for child in node.named_children if child.type != "comment"]
        match node.type:
            case "string":
                return self._string(node, inner, depth)
            case "concatenated_string" | "parenthesized_expression" | "await":
                return sum(self.size(child, depth + 1) for child in inner)
            case "interpolation":
                return self.size(inner[0], depth + 1) if inner else 0
            case "binary_operator":
                return self._operator(node, inner, depth)
            case "conditional_expression":
                sides = [inner[0], inner[-1]] if len(inner) == 3 else []
                return max((self.size(side, depth + 1) for side in sides), default=0)
            case "call":
                return self._call(node, depth)
            case "identifier" | "attribute":
                return self._name(node, depth)
            case _:
                return 0

    def _string(self, node: Node, inner: list[Node], depth: int) -> int:
        filled = [child for child in inner if child.type == "interpolation"]
        if not filled:
            value = Reader(self.data, 0).read(node)
            return len(value.value) if isinstance(value, Text) else 0
        texts = (child for child in inner if child.type == "string_content")
        fixed = sum(
            len(self.data[t.start_byte : t.end_byte].decode("utf-8", "replace")) for t in texts
        )
        return fixed + sum(self.size(child, depth + 1) for child in filled)

    def _operator(self, node: Node, inner: list[Node], depth: int) -> int:
        sign = node.child_by_field_name("operator")
        if sign is None or len(inner) != 2:
            return 0
        left, right = (self.size(child, depth + 1) for child in inner)
        match sign.type:
            case "+":
                return left + right
            case "*":
                return left * self._times(inner[1]) + right * self._times(inner[0])
            case "%":
                return left
            case _:
                return 0

    def _times(self, node: Node) -> int:
        value = Reader(self.data, 0).read(node)
        number = value.value if isinstance(value, Const) else 0
        return number if isinstance(number, int) and number > 0 else 0

    def _call(self, node: Node, depth: int) -> int:
        function, given = node.child_by_field_name("function"), None
        if function is None:
            return 0
        last = function.child_by_field_name("attribute") or function
        if self.data[last.start_byte : last.end_byte].decode("utf-8", "replace") not in _KEEPING:
            return 0
        owner = function.child_by_field_name("object")
        arguments = node.child_by_field_name("arguments")
        if arguments is not None and parts(arguments):
            given = parts(arguments)[0]
        own = self.size(owner, depth + 1) if owner is not None else 0
        return own or (self.size(given, depth + 1) if given is not None else 0)

    def _name(self, node: Node, depth: int) -> int:
        name = self.data[node.start_byte : node.end_byte].decode("utf-8", "replace")
        if name in self.local:
            bound = self.local[name]
            return self.size(bound[0], depth + 1) if len(bound) == 1 else 0
        meaning = self.module.meaning(Reader(self.data, 0).read(node))
        if not isinstance(meaning, Here) or not isinstance(meaning.fact, Assign):
            return 0
        start, end = meaning.placed.start, meaning.placed.end
        data = meaning.module.document.text.data[start:end]
        assignment = _first(parse(data).root_node, "assignment")
        right = assignment.child_by_field_name("right") if assignment is not None else None
        scope = _Scope(meaning.module, data, {})
        return scope.size(right, depth + 1) if right is not None else 0
