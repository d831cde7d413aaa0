"""Which Python names are the module's own: told from the syntax, scope by scope."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

_FUNCTIONS: Final = frozenset(["function_definition", "lambda"])
_COMPREHENSIONS: Final = frozenset(
    "list_comprehension set_comprehension dictionary_comprehension generator_expression".split()
)
_SCOPES: Final = _FUNCTIONS | _COMPREHENSIONS | {"class_definition"}
_LEFT: Final = frozenset(["assignment", "augmented_assignment", "for_statement", "for_in_clause"])
_NAMED: Final = frozenset(["function_definition", "class_definition", "named_expression"])
_PATTERNS: Final = frozenset(["as_pattern_target", "case_pattern", "delete_statement"])
_PARAMETERS: Final = frozenset(["parameters", "lambda_parameters"])
_IMPORTS: Final = frozenset(["import_statement", "import_from_statement"])
_WORD: Final = rb"(?<![\w\x80-\xff])(?:%s)(?![\w\x80-\xff])"


def uses(root: Node, data: bytes, names: set[str]) -> Iterator[Node]:
    """Find every identifier that means one of these names of the module; imports left out."""
    if not names:
        return
    words = b"|".join(re.escape(name.encode()) for name in sorted(names))
    for match in re.finditer(_WORD % words, data):
        node = root.descendant_for_byte_range(match.start(), match.end())
        if node is not None and is_use(node):
            yield node


def is_use(node: Node) -> bool:
    """Whether an identifier means what the module binds under its name."""
    if node.type != "identifier" or not _stands_alone(node):
        return False
    name = node.text or b""
    innermost = True
    inner, outer = node, node.parent
    while outer is not None:
        if outer.type in _SCOPES and _inside(outer, inner, node):
            # What a class binds is seen in its own body, and in no function inside it.
            seen = innermost or outer.type != "class_definition"
            if seen and name in _bound(outer):
                return False
            innermost = False
        inner, outer = outer, outer.parent
    return True


def scopes_around(node: Node) -> Iterator[Node]:
    """Give the functions and comprehensions that an identifier is evaluated in."""
    inner, outer = node, node.parent
    while outer is not None:
        if outer.type in _SCOPES and _inside(outer, inner, node):
            yield outer
        inner, outer = outer, outer.parent


def bound_in(scope: Node, name: str) -> bool:
    return name.encode() in _bound(scope)


def _stands_alone(node: Node) -> bool:
    """Whether an identifier is a name of its own: no attribute, no keyword, no import."""
    parent = node.parent
    if parent is None:
        return False
    if parent.type == "attribute":
        return parent.child_by_field_name("attribute") != node
    if parent.type == "keyword_argument":
        return parent.child_by_field_name("name") != node
    while parent is not None and parent.type in {"dotted_name", "aliased_import"}:
        parent = parent.parent
    return parent is None or parent.type not in _IMPORTS


def _inside(scope: Node, child: Node, node: Node) -> bool:
    """Whether what was reached through `child` is evaluated in the scope itself."""
    if scope.type in _COMPREHENSIONS:
        return True
    if child.type in _PARAMETERS:
        return any(each == node for each in _parameters(child))
    body = scope.child_by_field_name("body")
    return body is not None and child == body


def _bound(scope: Node) -> set[bytes]:
    """Give the names that a scope binds itself, `global` ones left out."""
    bound: set[bytes] = set()
    shared: set[bytes] = set()
    if scope.type in _FUNCTIONS:
        given = scope.child_by_field_name("parameters")
        if given is not None:
            bound |= {each.text or b"" for each in _parameters(given)}
    body = scope if scope.type in _COMPREHENSIONS else scope.child_by_field_name("body")
    stack = [body] if body is not None else []
    while stack:
        node = stack.pop()
        if node.type == "global_statement":
            shared |= {each.text or b"" for each in node.named_children}
        bound |= _bound_by(node)
        for child in node.named_children:
            if child.type not in _SCOPES:
                stack.append(child)
            elif child.type in {"function_definition", "class_definition"}:
                bound |= _bound_by(child)
    return bound - shared


def _bound_by(node: Node) -> set[bytes]:
    """Give the names that one statement or expression binds."""
    if node.type in _LEFT:
        left = node.child_by_field_name("left")
        return _targets(left) if left is not None else set()
    if node.type in _NAMED:
        name = node.child_by_field_name("name")
        return {name.text or b""} if name is not None else set()
    if node.type in _PATTERNS:
        return _targets(node)
    if node.type in _IMPORTS:
        return _imported(node)
    return set()


def _imported(node: Node) -> set[bytes]:
    found: set[bytes] = set()
    for child in node.children_by_field_name("name"):
        alias = child.child_by_field_name("alias") if child.type == "aliased_import" else None
        text = (alias or child).text or b""
        found.add(text.split(b".")[0])
    return found


def _targets(node: Node) -> set[bytes]:
    """Give the names in an assignment's target: not those of objects whose part is assigned."""
    found: set[bytes] = set()
    stack = [node]
    while stack:
        each = stack.pop()
        if each.type == "identifier":
            found.add(each.text or b"")
        elif each.type not in {"attribute", "subscript"}:
            stack.extend(each.named_children)
    return found


def _parameters(node: Node) -> Iterator[Node]:
    """Give the names of parameters."""
    for child in node.named_children:
        each: Node | None = child
        if child.type in {"default_parameter", "typed_default_parameter"}:
            each = child.child_by_field_name("name")
        elif child.type == "typed_parameter":
            each = child.named_children[0]
        while each is not None and each.type in {"list_splat_pattern", "dictionary_splat_pattern"}:
            each = each.named_children[0] if each.named_children else None
        if each is not None and each.type == "identifier":
            yield each
