r"""Offsets in bytes and positions as an editor counts them, in the encoding that was agreed on.

Lines end where the protocol says: at `\n`, `\r\n` or a lone `\r`, and nowhere else. A column
that no character starts at, or that is past its line, means the nearest place before it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from enum import StrEnum
from functools import cached_property
from typing import Final, NamedTuple

_LINE_END: Final = re.compile(rb"\r\n|\n|\r")


class Encoding(StrEnum):
    """In which units columns are counted; the protocol's own names."""

    UTF8 = "utf-8"
    UTF16 = "utf-16"
    UTF32 = "utf-32"

    @classmethod
    def of(cls, kind: object) -> Encoding:
        """Give the encoding that lsprotocol's value, or a client's own text, names."""
        return cls(str(getattr(kind, "value", kind)))


class Place(NamedTuple):
    """Line and column, both from 0."""

    line: int
    column: int


class Places:
    """The way between offsets and places of one text. Bytes that are no UTF-8 count as U+FFFD."""

    def __init__(self, data: bytes, encoding: Encoding = Encoding.UTF16) -> None:
        self.data = data
        self.encoding = encoding

    @cached_property
    def _lines(self) -> list[tuple[int, int]]:
        """Start and end of every line, the line end left out."""
        lines: list[tuple[int, int]] = []
        start = 0
        for end in _LINE_END.finditer(self.data):
            lines.append((start, end.start()))
            start = end.end()
        return [*lines, (start, len(self.data))]

    @cached_property
    def _starts(self) -> list[int]:
        return [start for start, _ in self._lines]

    def place(self, offset: int) -> Place:
        """Give the place of an offset."""
        line = bisect_right(self._starts, offset) - 1
        start, end = self._lines[line]
        before = self.data[start : min(offset, end)]
        return Place(line, self._units(before))

    def offset(self, line: int, column: int) -> int:
        """Give the offset of a place."""
        if line < 0:
            return 0
        if line >= len(self._lines):
            return len(self.data)
        start, end = self._lines[line]
        text = self.data[start:end]
        if self.encoding is Encoding.UTF8 or text.isascii():
            at = min(start + max(column, 0), end)
            while at > start and at < end and self.data[at] & 0xC0 == 0x80:
                at -= 1
            return at
        return start + _bytes_before(text, column, wide=self.encoding is Encoding.UTF16)

    def _units(self, before: bytes) -> int:
        if self.encoding is Encoding.UTF8 or before.isascii():
            return len(before)
        text = before.decode("utf-8", "replace")
        if self.encoding is Encoding.UTF32:
            return len(text)
        return len(text) + sum(ord(each) > 0xFFFF for each in text)


def _bytes_before(text: bytes, column: int, *, wide: bool) -> int:
    """Give how many bytes of a line come before a column."""
    units = taken = 0
    for each in text.decode("utf-8", "surrogateescape"):
        units += 2 if wide and ord(each) > 0xFFFF else 1
        if units > column:
            break
        taken += len(each.encode("utf-8", "surrogateescape"))
    return taken
