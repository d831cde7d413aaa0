"""tree-sitter: the grammar, a parse, a reparse after an edit, and where the text is broken."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import tree_sitter_python
from tree_sitter import Language, Parser

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node, Tree

    from .text import Edit, Text

_LANGUAGE: Final = Language(tree_sitter_python.language())
_ERRORS_SHOWN = 20


def parse(data: bytes) -> Tree:
    return Parser(_LANGUAGE).parse(data)


def reparse(tree: Tree, old: Text, new: Text, edit: Edit) -> Tree:
    """Give the tree of `new`; the old tree stays as it is for whoever still reads it."""
    edited = tree.copy()
    end = edit.start + len(edit.new)
    edited.edit(
        start_byte=edit.start,
        old_end_byte=edit.end,
        new_end_byte=end,
        start_point=old.point(edit.start),
        old_end_point=old.point(edit.end),
        new_end_point=new.point(end),
    )
    return Parser(_LANGUAGE).parse(new.data, edited)


def breaks(root: Node) -> Iterator[tuple[int, int, str]]:
    """Find the outermost broken places: start, end, and what is missing (or nothing)."""
    left = _ERRORS_SHOWN
    stack = [root] if root.has_error else []
    while stack and left:
        node = stack.pop()
        if node.is_error or node.is_missing:
            left -= 1
            yield node.start_byte, node.end_byte, node.type if node.is_missing else ""
        else:
            stack.extend(child for child in reversed(node.children) if child.has_error)
