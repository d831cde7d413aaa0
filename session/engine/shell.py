"""Runs one command with bounded capture, in the worker's own process group.

In the worker's group on purpose: whatever ends the worker (a timeout, a cancel, the server's
death) ends the command and all it started with the same kill.
"""

from __future__ import annotations

import codecs
import os
import selectors
import subprocess
import time
from collections import deque
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any

from .. import limits

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from ..workflow.values import ShellResult

_DRAIN_SECONDS = 0.5
"""After the command ends, a child it left behind may hold its pipes: read no longer than this."""
_LINE_CHARS = 8_192
_TAIL_CHARS = 400


class Capture:
    """The last characters of one stream, and its lines as they come."""

    def __init__(self, limit: int, line: Callable[[str], None] | None) -> None:
        self._parts: deque[str] = deque()
        self._kept = 0
        self._limit = limit
        self._line = line
        self._open_line = ""
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self.total = 0

    def feed(self, data: bytes, *, final: bool = False) -> None:
        text = self._decode(data, final)
        self.total += len(text)
        self._parts.append(text)
        self._kept += len(text)
        while self._parts and self._kept - len(self._parts[0]) >= self._limit:
            self._kept -= len(self._parts.popleft())
        if self._line is not None:
            self._lines(text, final=final)

    def _lines(self, text: str, *, final: bool) -> None:
        assert self._line is not None
        *whole, rest = (self._open_line + text).replace("\r", "\n").split("\n")
        self._open_line = rest[-_LINE_CHARS:]
        for line in whole:
            if line:
                self._line(line[:_LINE_CHARS])
        if final and self._open_line:
            self._line(self._open_line)
            self._open_line = ""

    def text(self) -> str:
        return "".join(self._parts)[-self._limit :]


@dataclass(frozen=True)
class Ran:
    """A command that has ended."""

    result: ShellResult
    seconds: float

    def receipt(self, argv: list[str], cwd: str) -> dict[str, Any]:
        """What is kept of the command beside its output."""
        return {
            "argv": [word[:1000] for word in argv[:100]],
            "cwd": cwd,
            "exit_code": self.result.exit_code,
            "seconds": round(self.seconds, 3),
            "stdout_chars": len(self.result.stdout) + self.result.stdout_dropped,
            "stderr_chars": len(self.result.stderr) + self.result.stderr_dropped,
        }

    def complaint(self, name: str) -> str:
        """Say how it failed, with the last it said."""
        said = (self.result.stderr.strip() or self.result.stdout.strip())[-_TAIL_CHARS:]
        code = self.result.exit_code
        how = f"was killed by signal {-code}" if code < 0 else f"exited with code {code}"
        return f"{name} {how}" + (f": {said}" if said else "")


def run(
    argv: list[str],
    cwd: Path,
    env: Mapping[str, str],
    line: Callable[[str], None] | None,
) -> Ran:
    """Run a command to its end.

    Raises:
        OSError: It cannot be started.
    """
    from ..workflow.values import ShellResult

    began = time.monotonic()
    process = subprocess.Popen(
        argv,
        cwd=cwd,
        env={**os.environ, **env},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    out = Capture(limits.CAPTURE_CHARS, line)
    err = Capture(limits.CAPTURE_CHARS, line)
    assert process.stdout is not None
    assert process.stderr is not None
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ, out)
        selector.register(process.stderr, selectors.EVENT_READ, err)
        _drain(selector, process)
    for stream in (process.stdout, process.stderr):
        stream.close()
    code = process.wait()
    out.feed(b"", final=True)
    err.feed(b"", final=True)
    return Ran(
        ShellResult(
            stdout=out.text(),
            stderr=err.text(),
            exit_code=code,
            stdout_dropped=max(0, out.total - limits.CAPTURE_CHARS),
            stderr_dropped=max(0, err.total - limits.CAPTURE_CHARS),
        ),
        time.monotonic() - began,
    )


def _drain(selector: selectors.BaseSelector, process: subprocess.Popen[bytes]) -> None:
    ended: float | None = None
    while selector.get_map():
        for key, _ in selector.select(0.05):
            stream: IO[bytes] = key.fileobj  # type: ignore[assignment]  # what was registered
            data = os.read(stream.fileno(), 1 << 16)
            if data:
                key.data.feed(data)
            else:
                selector.unregister(stream)
        if ended is None and process.poll() is not None:
            ended = time.monotonic()
        if ended is not None and time.monotonic() - ended > _DRAIN_SECONDS:
            return
