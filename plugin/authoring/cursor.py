"""What is being typed at a place, told from the text before it: it need not parse.

The text is read from the start of its top-level statement; that is the last line, seen from the
place, that begins at the margin and closes nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

_MARGIN: Final = re.compile(rb"\n(?=[^\s)\]}#])")
_TOKEN: Final = re.compile(
    rb"""(?P<string>[rRbBuUfF]{0,2}(?:'''|\"\"\"|'|\"))
    |(?P<name>[A-Za-z_\x80-\xff][\w\x80-\xff]*)
    |(?P<open>[(\[{])|(?P<close>[)\]}])
    |(?P<comment>\#[^\n]*)
    |(?P<mark>[.,:=])
    |(?P<space>\s+)
    |(?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
_MOST: Final = 100_000
"""A statement longer than this is not read from its start."""


@dataclass
class Frame:
    """One bracket that is open at the place.

    Attributes:
        opener: The bracket.
        callee: The dotted name before it, where it is a call.
        first: Source of the call's first argument, as far as it was written.
        index: Which argument or item the place is in.
        keyword: The keyword argument that the place is in.
        value: In a dict, whether the place is behind the colon.
        keys: In a dict, the keys written before the place.
        given: Source of the keyword arguments written before the place.
    """

    opener: str
    callee: str = ""
    first: str = ""
    index: int = 0
    keyword: str = ""
    value: bool = False
    keys: list[str] = field(default_factory=list)
    given: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Cursor:
    """What is being typed.

    Attributes:
        frames: The open brackets, outermost first.
        word: What of the name or text is written before the place.
        start: The offset where that begins, a quote included.
        quote: The quote, where the place is inside a text.
    """

    frames: tuple[Frame, ...]
    word: str
    start: int
    quote: str = ""

    @property
    def inner(self) -> Frame | None:
        return self.frames[-1] if self.frames else None


def cursor_at(data: bytes, offset: int) -> Cursor:
    """Say what is being typed at an offset."""
    floor = max(0, offset - _MOST)
    starts = [each.end() for each in _MARGIN.finditer(data, floor, offset)]
    return _Scan(data, starts[-1] if starts else floor, offset).run()


class _Scan:
    """One reading of a statement up to a place."""

    def __init__(self, data: bytes, start: int, offset: int) -> None:
        self.data, self.at, self.end = data, start, offset
        self.frames: list[Frame] = []
        self.dotted = ""
        """The dotted name that was just read."""
        self.item = start
        """Where the present argument or item began."""

    def run(self) -> Cursor:
        word, start, quote = "", self.end, ""
        while self.at < self.end:
            match = _TOKEN.match(self.data, self.at, self.end)
            assert match is not None
            self.at = match.end()
            kind = match.lastgroup or ""
            piece = match.group().decode("utf-8", "replace")
            if kind == "string":
                closed = self._string(match.group())
                if not closed:
                    quote = piece.lstrip("rRbBuUfF")
                    start = match.start()
                    word = self.data[match.end() : self.end].decode("utf-8", "replace")
                    break
                self.dotted = ""
            elif kind == "name" and match.end() == self.end:
                word, start = piece, match.start()
                break
            else:
                self._piece(kind, piece, match.start())
        return Cursor(tuple(self.frames), word, start, quote)

    def _string(self, opener: bytes) -> bool:
        """Skip a text; False where it is not closed before the place."""
        quote = opener.lstrip(b"rRbBuUfF")
        at = self.at
        while at < self.end:
            if self.data[at : at + 1] == b"\\":
                at += 2
            elif self.data.startswith(quote, at) and at + len(quote) <= self.end:
                self.at = at + len(quote)
                return True
            elif len(quote) == 1 and self.data[at : at + 1] == b"\n":
                self.at = at  # a text that was never closed ends with its line
                return True
            else:
                at += 1
        return False

    def _piece(self, kind: str, piece: str, start: int) -> None:
        if kind == "open":
            callee = self.dotted if piece == "(" else ""
            self.frames.append(Frame(piece, callee))
            self.item = self.at
        elif kind == "close":
            if self.frames:
                self.frames.pop()
        elif kind == "mark" and piece != ".":
            self._mark(piece, start)
        if kind == "name":
            self.dotted = self.dotted + piece if self.dotted.endswith(".") else piece
        elif piece == "." and self.dotted:
            self.dotted += "."
        elif kind not in {"space", "comment"}:
            self.dotted = ""

    def _mark(self, piece: str, start: int) -> None:
        frame = self.frames[-1] if self.frames else None
        if frame is None:
            return
        said = self.data[self.item : start].decode("utf-8", "replace").strip()
        if piece == ",":
            if frame.keyword:
                frame.given[frame.keyword] = said
            elif frame.index == 0:
                frame.first = said
            frame.index += 1
            frame.keyword, frame.value = "", False
            self.item = self.at
        elif piece == "=" and frame.opener == "(" and said.isidentifier():
            frame.keyword = said
            self.item = self.at
        elif piece == ":" and frame.opener == "{" and not frame.value:
            frame.keys.append(said)
            frame.value = True
            self.item = self.at
