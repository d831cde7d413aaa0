"""Colour: only on a terminal that wants it, and never the only thing that says something."""

from __future__ import annotations

import os
import shutil
from typing import IO, TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_CODES: Final = {
    "bold": "1",
    "dim": "2",
    "italic": "3",
    "red": "31",
    "green": "32",
    "yellow": "33",
    "blue": "34",
    "magenta": "35",
    "cyan": "36",
}
_WIDEST: Final = 100
"""Longer lines are hard to read, however wide the window."""
_NARROWEST: Final = 40


class Paint:
    """Colours text, or leaves it as it is."""

    def __init__(self, *, colour: bool) -> None:
        self.colour = colour

    def __call__(self, text: str, *styles: str) -> str:
        if not self.colour or not styles or not text:
            return text
        codes = ";".join(_CODES[style] for style in styles)
        return f"\x1b[{codes}m{text}\x1b[0m"


def is_terminal(stream: IO[str], environ: Mapping[str, str]) -> bool:
    """Whether the stream is a terminal that can do more than print."""
    return stream.isatty() and environ.get("TERM") != "dumb"


def paint_for(stream: IO[str], environ: Mapping[str, str] = os.environ) -> Paint:
    """Give colours for a terminal, unless `NO_COLOR` is set."""
    return Paint(colour=is_terminal(stream, environ) and not environ.get("NO_COLOR"))


def columns_of(stream: IO[str]) -> int:
    """Give the width to draw in: the terminal's within bounds, 80 elsewhere."""
    if not stream.isatty():
        return 80
    return max(_NARROWEST, min(_WIDEST, shutil.get_terminal_size((80, 24)).columns))
