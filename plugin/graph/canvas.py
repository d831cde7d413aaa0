"""A grid of characters on which lines join by themselves.

A line is noted as directions per cell; the character follows from all lines that meet there, so
branches, corners and crossings need no care. Text lies over lines.
"""

from __future__ import annotations

from typing import Final

UP, DOWN, LEFT, RIGHT = 1, 2, 4, 8

_LIGHT: Final = dict(
    zip(
        (3, 12, 10, 6, 9, 5, 11, 7, 14, 13, 15, 1, 2, 4, 8),
        "│─╭╮╰╯├┤┬┴┼││──",
        strict=True,
    )
)
_HEAVY: Final = dict(
    zip(
        (3, 12, 10, 6, 9, 5, 11, 7, 14, 13, 15, 1, 2, 4, 8),
        "┃━┏┓┗┛┣┫┳┻╋┃┃━━",
        strict=True,
    )
)


class Canvas:
    """What has been drawn so far. Rows and columns count from 0; columns may be negative."""

    def __init__(self) -> None:
        self._lines: dict[tuple[int, int], int] = {}
        self._heavy: set[tuple[int, int]] = set()
        self._texts: dict[tuple[int, int], tuple[str, str]] = {}

    def text(self, row: int, column: int, text: str, style: str = "") -> None:
        for index, character in enumerate(text):
            self._texts[row, column + index] = character, style

    def down(self, column: int, top: int, bottom: int, *, heavy: bool = False) -> None:
        """Draw a line from one row down to another."""
        for row in range(top, bottom + 1):
            ends = (0 if row == top else UP) | (0 if row == bottom else DOWN)
            self._line(row, column, ends, heavy=heavy)

    def across(self, row: int, left: int, right: int, *, heavy: bool = False) -> None:
        """Draw a line from one column to another on the right."""
        for column in range(left, right + 1):
            ends = (0 if column == left else LEFT) | (0 if column == right else RIGHT)
            self._line(row, column, ends, heavy=heavy)

    def _line(self, row: int, column: int, ends: int, *, heavy: bool) -> None:
        self._lines[row, column] = self._lines.get((row, column), 0) | ends
        if heavy:
            self._heavy.add((row, column))

    def rows(self) -> list[list[tuple[str, str]]]:
        """Give every row as characters with their styles, the drawing's left edge first."""
        cells = self._lines.keys() | self._texts.keys()
        if not cells:
            return []
        left = min(column for _, column in cells)
        ends: dict[int, int] = {}
        for row, column in cells:
            ends[row] = max(ends.get(row, left), column)
        last = max(ends)
        return [
            [self._cell(row, column) for column in range(left, ends.get(row, left - 1) + 1)]
            for row in range(last + 1)
        ]

    def _cell(self, row: int, column: int) -> tuple[str, str]:
        if (row, column) in self._texts:
            return self._texts[row, column]
        ends = self._lines.get((row, column), 0)
        if not ends:
            return " ", ""
        return (_HEAVY if (row, column) in self._heavy else _LIGHT)[ends], ""


def plain(rows: list[list[tuple[str, str]]]) -> str:
    return "\n".join("".join(character for character, _ in row).rstrip() for row in rows)


def coloured(rows: list[list[tuple[str, str]]]) -> str:
    """Give the rows with the terminal's colours; a style is what stands between ESC[ and m."""
    return "\n".join(_coloured(row) for row in rows)


def _coloured(row: list[tuple[str, str]]) -> str:
    parts: list[str] = []
    now = ""
    for character, style in row:
        if style != now:
            parts.append("\x1b[0m" if now else "")
            parts.append(f"\x1b[{style}m" if style else "")
            now = style
        parts.append(character)
    return "".join(parts).rstrip() + ("\x1b[0m" if now else "")
