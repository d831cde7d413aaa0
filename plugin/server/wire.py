"""Frames on standard input and output, read and written on threads of their own (S3).

A frame that cannot be read is a `Bad` one and the stream goes on behind it. Whoever does not
read what is written cannot block the loop: output waits in a bounded queue.
"""

from __future__ import annotations

import json
import queue
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

FRAME_BYTES: Final = 32 * 1024 * 1024
"""One frame (S4): an answer of the model and a file of five megabytes fit many times."""
LINE_BYTES: Final = 8 * 1024
HEADER_LINES: Final = 32
UNREAD_BYTES: Final = 128 * 1024 * 1024
"""Output that a client may leave unread before the connection counts as broken (S4)."""

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600


@dataclass(frozen=True, slots=True)
class Bad:
    """A frame that is no message: what to answer."""

    code: int
    message: str


def frames(stream: BinaryIO) -> Iterator[Any]:
    """Give each message as JSON, or `Bad`; ends with the input."""
    while True:
        size = _header(stream)
        if size is None:
            return
        if isinstance(size, Bad):
            yield size
        elif size > FRAME_BYTES:
            _skip(stream, size)
            yield Bad(
                INVALID_REQUEST, f"a frame has at most {FRAME_BYTES:,} bytes; this had {size:,}"
            )
        else:
            body = stream.read(size)
            if len(body) < size:
                return
            yield _parse(body)


def _header(stream: BinaryIO) -> int | Bad | None:
    """Read up to the empty line; give the body's size."""
    size: int | None = None
    said = False
    for _ in range(HEADER_LINES):
        line = stream.readline(LINE_BYTES)
        if not line:
            return None
        if not line.strip():
            if size is not None:
                return size
            if said:
                return Bad(PARSE_ERROR, "a frame without Content-Length")
            continue  # blank lines between frames are harmless
        said = True
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length":
            digits = value.strip()
            if not digits.isdigit() or len(digits) > 18:
                return Bad(PARSE_ERROR, "Content-Length is no number")
            size = int(digits)
    return Bad(PARSE_ERROR, "a frame's header has too many lines")


def _skip(stream: BinaryIO, size: int) -> None:
    while size > 0:
        read = len(stream.read(min(size, 1 << 20)))
        if not read:
            return
        size -= read


def _parse(body: bytes) -> Any:
    try:
        return json.loads(body.decode("utf-8"), parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        what = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        return Bad(PARSE_ERROR, f"not JSON: {what[:200]}")


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def encode(message: Any) -> bytes:
    """Give a message as a frame.

    Raises:
        TypeError, ValueError: It is not JSON.
    """
    body = json.dumps(message, allow_nan=False, separators=(",", ":")).encode("ascii")
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


class Reader:
    """Reads frames and hands each over; `ended` is called once, at the end of the input."""

    def __init__(
        self, stream: BinaryIO, take: Callable[[Any], None], ended: Callable[[], None]
    ) -> None:
        self._stream, self._take, self._ended = stream, take, ended
        self._room = threading.Semaphore(256)

    def start(self) -> None:
        threading.Thread(target=self._run, name="segue-reader", daemon=True).start()

    def done(self) -> None:
        """One frame that was handed over has been dealt with."""
        self._room.release()

    def _run(self) -> None:
        try:
            for frame in frames(self._stream):
                self._room.acquire()
                self._take(frame)
        except (OSError, ValueError, RuntimeError):
            pass  # the stream or the loop was closed under it: that is the end as well
        finally:
            self._ended()


class Writer:
    """Writes frames in the order given, from any thread, without making anybody wait."""

    def __init__(self, stream: BinaryIO, broken: Callable[[], None]) -> None:
        self._stream, self._broken = stream, broken
        self._queue: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._unread = 0
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, name="segue-writer", daemon=True)
        self._thread.start()

    @property
    def closed(self) -> bool:
        """Whether nobody reads any more."""
        return self._closed.is_set()

    def write(self, data: bytes) -> None:
        if self._closed.is_set():
            return
        with self._lock:
            self._unread += len(data)
            full = self._unread > UNREAD_BYTES
        if full:
            self._break()
        else:
            self._queue.put(data)

    def close(self, seconds: float = 1.0) -> None:
        """Write what waits, as far as the time allows."""
        self._queue.put(None)
        self._thread.join(seconds)
        self._closed.set()

    def _break(self) -> None:
        if not self._closed.is_set():
            self._closed.set()
            self._broken()

    def _run(self) -> None:
        while (data := self._queue.get()) is not None:
            try:
                self._stream.write(data)
                self._stream.flush()
            except (OSError, ValueError):
                self._break()
                return
            with self._lock:
                self._unread -= len(data)
