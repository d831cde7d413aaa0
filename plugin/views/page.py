"""Where a view draws: a stream, its width and its colours."""

from __future__ import annotations

import io
import os
import sys
from typing import IO

from .paint import columns_of, is_terminal, paint_for
from .width import cut, wrap


class Page:
    """Draws lines; on a terminal also one live line that the next one replaces."""

    def __init__(self, stream: IO[str] | None = None) -> None:
        self.stream = sys.stdout if stream is None else stream
        self.paint = paint_for(self.stream)
        self.columns = columns_of(self.stream)
        self._can_redraw = is_terminal(self.stream, os.environ)
        self._live = False
        if isinstance(self.stream, io.TextIOWrapper):
            self.stream.reconfigure(line_buffering=True)  # who reads a pipe follows it as well

    def line(self, text: str = "") -> None:
        """Draw a line that is ready: wrapped, painted."""
        self.settle()
        print(text, file=self.stream)

    def text(self, text: str, *styles: str, indent: str = "", first: str | None = None) -> None:
        """Draw a text, wrapped behind an indent; the first line may have another one."""
        for at, line in enumerate(wrap(text, self.columns - len(indent))):
            lead = indent if at or first is None else first
            self.line(lead + self.paint(line, *styles))

    def live(self, text: str) -> None:
        """Draw a line that the next one replaces; nothing where that cannot be done."""
        if self._can_redraw:
            self._live = True
            self.stream.write("\r\x1b[2K" + cut(text, self.columns - 1))
            self.stream.flush()

    def settle(self) -> None:
        """Take the live line away."""
        if self._live:
            self._live = False
            self.stream.write("\r\x1b[2K")
