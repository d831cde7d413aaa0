"""One version of one file: its text, its syntax tree, and the facts of every statement.

A document never changes. `edited` gives the next version; it reparses incrementally and reads
only statements whose text is new, so its cost is that of the change.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from ...limits import SOURCE_BYTES
from .facts import Act, Assign, Class, Def, Doc, Fact, Import, Other, Placed
from .statements import read_statement
from .syntax import breaks, parse, reparse
from .text import Edit, Text

if TYPE_CHECKING:
    from pathlib import Path

    from tree_sitter import Tree


@dataclass(frozen=True)
class Document:
    """A parsed file. `path` names it in messages and tells where its neighbours are."""

    path: Path
    text: Text
    tree: Tree = field(repr=False)
    statements: tuple[Placed, ...] = field(repr=False)

    @classmethod
    def read(cls, path: Path, data: bytes) -> Document:
        text = Text(data[:SOURCE_BYTES])
        tree = parse(text.data)
        return cls(path, text, tree, _statements(tree, text.data, {}))

    def edited(self, edit: Edit) -> Document:
        """Give the next version of the document."""
        text = self.text.edited(edit)
        tree = reparse(self.tree, self.text, text, edit)
        kept = _kept(self.statements, edit)
        return Document(self.path, text, tree, _statements(tree, text.data, kept))

    @cached_property
    def breaks(self) -> tuple[tuple[int, int, str], ...]:
        return tuple(breaks(self.tree.root_node))

    @cached_property
    def bindings(self) -> dict[str, list[int]]:
        """For each name of the module, the statements that bind it, in order."""
        found: dict[str, list[int]] = {}
        for index, placed in enumerate(self.statements):
            for name in _bound(placed.fact):
                found.setdefault(name, []).append(index)
        return found

    @cached_property
    def stars(self) -> bool:
        """Whether a star import brings names that this text does not show."""
        return any(isinstance(each.fact, Import) and each.fact.star for each in self.statements)

    @cached_property
    def doc(self) -> str:
        first = next((each.fact for each in self.statements), None)
        return first.value if isinstance(first, Doc) else ""


def _kept(statements: tuple[Placed, ...], edit: Edit) -> dict[int, Placed]:
    """Give the statements that the edit left alone, by where they start afterwards."""
    moved = len(edit.new) - (edit.end - edit.start)
    kept: dict[int, Placed] = {}
    for each in statements:
        start, end, fact = each
        if end <= edit.start:
            kept[start] = each
        elif start >= edit.end:
            kept[start + moved] = Placed(start + moved, end + moved, fact)
    return kept


def _statements(tree: Tree, data: bytes, kept: dict[int, Placed]) -> tuple[Placed, ...]:
    placed: list[Placed] = []
    # A cursor lets go of each statement's nodes once it has been read; a list would keep all.
    cursor = tree.walk()
    more = cursor.goto_first_child()
    while more:
        node = cursor.node
        more = cursor.goto_next_sibling()
        if node is None or not node.is_named:
            continue
        # The same text between the same two places is the same statement; but what a broken one
        # says depends on how the parser recovered.
        start, end = node.start_byte, node.end_byte
        known = kept.get(start)
        if known is not None and known.end == end and not node.has_error:
            placed.append(known)
        elif node.type != "comment":
            placed.append(Placed(start, end, read_statement(node, data)))
    return tuple(placed)


def _bound(fact: Fact) -> tuple[str, ...]:
    match fact:
        case Assign(name=name) | Def(name=name) | Class(name=name):
            return (name,)
        case Import(names=names):
            return tuple(each.local for each in names)
        case Other(binds=binds):
            return tuple(binds)
        case Act():
            return ()
        case _:
            return ()
