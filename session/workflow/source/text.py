"""The bytes of one version of a file, and the way from an offset to a line and a column.

Offsets are bytes, as tree-sitter counts. Columns count characters for people; editors that
count UTF-16 units ask for those.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Final

_NEWLINE: Final = 10


@dataclass(frozen=True)
class Position:
    """A place in a file; line and column count from 1."""

    line: int
    column: int


@dataclass(frozen=True)
class Text:
    """One version of a file's bytes, any bytes at all."""

    data: bytes

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """The offset of every line's first byte."""
        lengths = (len(line) + 1 for line in self.data.split(b"\n")[:-1])
        return tuple(accumulate(lengths, initial=0))

    def edited(self, edit: Edit) -> Text:
        """Give the next version; its lines are worked out from these."""
        made = Text(edit.apply(self.data))
        starts = self.starts
        # A line that begins behind the edit has moved; one that begins in it is looked up anew.
        first, last = bisect_right(starts, edit.start), bisect_right(starts, edit.end)
        moved = len(edit.new) - (edit.end - edit.start)
        inside = [edit.start + at + 1 for at, byte in enumerate(edit.new) if byte == _NEWLINE]
        behind = [start + moved for start in starts[last:]]
        made.__dict__["starts"] = (*starts[:first], *inside, *behind)
        return made

    def position(self, offset: int) -> Position:
        line = bisect_right(self.starts, offset) - 1
        before = self.data[self.starts[line] : offset]
        return Position(line + 1, len(before.decode("utf-8", "replace")) + 1)

    def utf16(self, offset: int) -> tuple[int, int]:
        """Give line and character as the editor protocol counts them, from 0."""
        line = bisect_right(self.starts, offset) - 1
        before = self.data[self.starts[line] : offset].decode("utf-8", "replace")
        return line, len(before.encode("utf-16-le")) // 2

    def offset(self, line: int, character: int) -> int:
        """Give the offset of an editor's position, kept inside the line."""
        if line >= len(self.starts):
            return len(self.data)
        start = self.starts[line]
        end = self.starts[line + 1] if line + 1 < len(self.starts) else len(self.data)
        whole = self.data[start:end].rstrip(b"\r\n").decode("utf-8", "replace")
        units = whole.encode("utf-16-le")[: character * 2]
        return start + len(units.decode("utf-16-le", "ignore").encode())

    def point(self, offset: int) -> tuple[int, int]:
        """Give row and byte column as tree-sitter counts them."""
        row = bisect_right(self.starts, offset) - 1
        return row, offset - self.starts[row]


@dataclass(frozen=True)
class Edit:
    """Replace the bytes from `start` to `end` by `new`."""

    start: int
    end: int
    new: bytes

    def apply(self, data: bytes) -> bytes:
        return data[: self.start] + self.new + data[self.end :]


def apply_all(data: bytes, edits: list[Edit]) -> bytes:
    """Apply edits that do not overlap; of two that do, the first one counts."""
    taken: list[Edit] = []
    for edit in sorted(edits, key=lambda e: (e.start, e.end)):
        if not taken or edit.start >= taken[-1].end:
            taken.append(edit)
    for edit in reversed(taken):
        data = edit.apply(data)
    return data
