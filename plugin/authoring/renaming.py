"""Renaming a node, mount or exit everywhere: its function or handle, and its name in quotes.

Where name and handle are one word both are renamed; where they differ only what was pointed at.
"""

from __future__ import annotations

import keyword
from typing import TYPE_CHECKING, NamedTuple

from segue.session.errors import SegueError
from segue.session.workflow.names import is_part_name

from .finding import declared, everywhere
from .mentions import QUOTES, Form
from .scope import bound_in, scopes_around, uses

if TYPE_CHECKING:
    from collections.abc import Iterator

    from segue.session.workflow.source.expr import Span

    from .finding import InFile
    from .mentions import Mention, Symbol
    from .opened import Opened


class CannotRename(SegueError):
    """The name cannot be changed to this one."""

    code = "cannot_rename"


class Renamed(NamedTuple):
    """The new text of one place."""

    span: Span
    new: str


def name_span(data: bytes, mention: Mention) -> Span:
    """Give where the bare name stands: inside the quotes of a text."""
    start, end = mention.span
    if mention.form is not Form.QUOTED:
        return mention.span
    raw = data[start:end]
    opener = raw.lstrip(b"rRuUbB")
    prefix = len(raw) - len(opener)
    for quote in (b'"""', b"'''", *QUOTES):
        if opener.startswith(quote) and opener.endswith(quote) and len(opener) >= 2 * len(quote):
            return start + prefix + len(quote), end - len(quote)
    return mention.span


def check_target(mention: Mention) -> None:
    """Refuse what has no name to change here."""
    if mention.symbol.kind == "workflow":
        raise CannotRename("a workflow is named as its file: rename the file, then its text")


def rename(opened: Opened, mention: Mention, new: str) -> Iterator[tuple[InFile, list[Renamed]]]:
    """Give the edits of every file.

    Raises:
        CannotRename: With the reason.
    """
    check_target(mention)
    symbol = mention.symbol
    forms = _forms(mention)
    _check_word(symbol, forms, new)
    found = list(everywhere(opened, symbol))
    _check_free(opened, symbol, forms, new)
    for file in found:
        edits = [_edit(file, each, new) for each in file.mentions if _renamed(each, symbol, forms)]
        if any(each.form is not Form.QUOTED for each in file.mentions) and Form.HANDLE in forms:
            _check_scopes(file, symbol, new)
        if edits:
            yield file, edits


def _forms(mention: Mention) -> set[Form]:
    """Say which places change: all, or only those of the kind that was pointed at."""
    if mention.symbol.one_word:
        return set(Form)
    return {Form.QUOTED} if mention.form is Form.QUOTED else {Form.HANDLE}


def _renamed(mention: Mention, symbol: Symbol, forms: set[Form]) -> bool:
    if mention.form is Form.HANDLE:
        return Form.HANDLE in forms and mention.named == symbol.variable
    return mention.form in forms


def _edit(file: InFile, mention: Mention, new: str) -> Renamed:
    data = file.module.document.text.data
    span = name_span(data, mention)
    written = data[span[0] : span[1]].decode("utf-8", "replace")
    if mention.form is Form.QUOTED and written != mention.symbol.name:
        return Renamed(mention.span, f'"{new}"')  # spelled with escapes, or in pieces
    return Renamed(span, new)


def _check_word(symbol: Symbol, forms: set[Form], new: str) -> None:
    if not is_part_name(new):
        raise CannotRename(f"'{new}' cannot name a {symbol.kind}: use letters, digits, '_' or '-'")
    python = Form.HANDLE in forms and symbol.variable
    if python and (not new.isidentifier() or keyword.iskeyword(new)):
        raise CannotRename(f"'{new}' cannot be a Python name: use letters, digits or '_'")


def _check_free(opened: Opened, symbol: Symbol, forms: set[Form], new: str) -> None:
    """Refuse a name that something else of the workflow has."""
    home = declared(opened, symbol)
    if home is None or new == symbol.name:
        return
    exits = {each.name for each in home.workflow.exits}
    taken = exits if symbol.kind == "exit" else set(home.workflow.parts)
    if Form.QUOTED in forms and new in taken:
        raise CannotRename(f"'{new}' is a name in this workflow already: choose another")


def _check_scopes(file: InFile, symbol: Symbol, new: str) -> None:
    """Refuse a name that means something else where the handle is used."""
    if new == symbol.variable:
        return
    if new in file.module.names:
        raise CannotRename(f"{file.path.name} binds '{new}' already: choose another name")
    document = file.module.document
    for node in uses(document.tree.root_node, document.text.data, {symbol.variable}):
        if any(bound_in(scope, new) for scope in scopes_around(node)):
            line = document.text.position(node.start_byte).line
            raise CannotRename(f"'{new}' means something else in line {line}: choose another name")
