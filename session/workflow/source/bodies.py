"""What a callback reads through its context, whom it gives the context, and what it calls.

A body can be long and little of it matters, so it is not walked: a pattern finds candidates in
its bytes and the syntax tree confirms each one, which also keeps texts and comments out.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from .facts import Body, Called, Params, Read

if TYPE_CHECKING:
    from tree_sitter import Node

    from .expressions import Reader

_CALL: Final = re.compile(
    rb"(?<![\w.\x80-\xff])([A-Za-z_]\w*(?:[ \t]*\.[ \t]*[A-Za-z_]\w*)*)[ \t]*\("
)
_CALLEE: Final = re.compile(rb"([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)[ \t]*\Z")
_HARMLESS: Final = frozenset(
    [b"excerpt", b"project", b"run_id", b"effect_key", b"progress"],
)
_SPLATS: Final = frozenset(["list_splat_pattern", "dictionary_splat_pattern"])
_DEFAULTED: Final = frozenset(["default_parameter", "typed_default_parameter"])


@lru_cache(maxsize=256)
def _uses(name: str) -> re.Pattern[bytes]:
    """Find uses of the context; the attribute and an opening parenthesis where they follow."""
    word = re.escape(name.encode())
    return re.compile(
        rb"(?<![\w.\x80-\xff])" + word + rb"(?![\w\x80-\xff])(?:\s*\.\s*(\w+)(\s*\()?)?"
    )


class _Findings:
    """What has been found so far in one body."""

    def __init__(self) -> None:
        self.reads: list[Read] = []
        self.seen: set[str] = set()
        self.passed_to: set[str] = set()


def read_body(reader: Reader, node: Node, context: str, *, calls: bool) -> Body:
    """Read the body of a function or lambda whose first parameter is `context`."""
    found = _Findings()
    data = reader.data[: node.end_byte]
    if context:
        for use in _uses(context).finditer(data, node.start_byte):
            _use(reader, node, use, found)
    return Body(
        reads=tuple(found.reads),
        input="input" in found.seen,
        visit="visit" in found.seen,
        passed_to=frozenset(found.passed_to),
        escapes="escapes" in found.seen,
        calls=_calls(reader, node) if calls else (),
        names=_names(data[node.start_byte :]) if calls else frozenset(),
    )


def _names(data: bytes) -> frozenset[str]:
    from .expressions import identifiers

    return identifiers(data)


def _use(reader: Reader, body: Node, use: re.Match[bytes], found: _Findings) -> None:
    start = use.start()
    token = body.descendant_for_byte_range(start, start + 1)
    if token is None or token.type != "identifier":
        return
    attribute = use.group(1)
    if attribute is None:
        _bare(reader, body, token, found)
    elif attribute in {b"input", b"visit"}:
        found.seen.add(attribute.decode())
    elif attribute in {b"output", b"latest"}:
        call = body.descendant_for_byte_range(start, use.end()) if use.group(2) else None
        if not _read(reader, call, attribute == b"latest", found):
            found.seen.add("escapes")
    elif attribute not in _HARMLESS:
        found.seen.add("escapes")


def _read(reader: Reader, call: Node | None, latest: bool, found: _Findings) -> bool:
    given = call.child_by_field_name("arguments") if call is not None else None
    if call is None or given is None or not given.named_children:
        return False
    source = given.named_children[0]
    if source.type in {"keyword_argument", "list_splat", "comment"}:
        return False
    found.reads.append(Read(reader.span(source), latest, reader.inner(source)))
    return True


def _bare(reader: Reader, body: Node, token: Node, found: _Findings) -> None:
    """A use of the context itself: handed to a function, or out of sight."""
    around = body.descendant_for_byte_range(token.start_byte - 1, token.end_byte + 1)
    if around is None or around.type in {"parameters", "lambda_parameters"}:
        return
    if around.type == "argument_list" and around.named_children[0].start_byte == token.start_byte:
        callee = _CALLEE.search(reader.data[max(0, around.start_byte - 200) : around.start_byte])
        if callee is not None:
            found.passed_to.add(callee.group(1).decode())
            return
    found.seen.add("escapes")


def _calls(reader: Reader, body: Node) -> tuple[Called, ...]:
    calls: list[Called] = []
    for match in _CALL.finditer(reader.data, body.start_byte, body.end_byte):
        node = body.descendant_for_byte_range(match.start(), match.end())
        if node is not None and node.type == "call" and node.start_byte == match.start():
            span = (match.start() - reader.base, match.end(1) - reader.base)
            name = b"".join(match.group(1).split()).decode()
            calls.append(Called(span, name))
    return tuple(calls)


def read_params(reader: Reader, node: Node | None, owner: Node) -> Params:
    """Say how a function may be called with positional arguments."""
    first, required, most, star = "", 0, 0, False
    unbounded = False
    keyword_only: list[str] = []
    for child in node.named_children if node is not None else []:
        kind, name = _param(reader, child)
        if kind in _SPLATS or kind == "keyword_separator":
            unbounded = unbounded or kind == "list_splat_pattern"
            star = star or kind != "dictionary_splat_pattern"
        elif kind in {"comment", "positional_separator"} or not name:
            continue
        elif star:
            if kind not in _DEFAULTED:
                keyword_only.append(name)
        else:
            first = first or name
            most += 1
            required += kind not in _DEFAULTED
    span = reader.span(node) if node is not None else reader.span(owner)
    return Params(span, first, required, None if unbounded else most, tuple(keyword_only))


def _param(reader: Reader, node: Node) -> tuple[str, str]:
    """Give a parameter's form and name."""
    if node.type == "identifier":
        return node.type, reader.source(node)
    if node.type == "typed_parameter":
        inner = node.named_children[0]
        return (inner.type if inner.type in _SPLATS else node.type), reader.source(inner)
    if node.type in _DEFAULTED:
        name = node.child_by_field_name("name")
        return node.type, reader.source(name) if name is not None else ""
    return node.type, ""
