"""The end of the process: whoever notices it first, everything is over within seconds (S3)."""

from __future__ import annotations

import logging
import os
import threading
from typing import TYPE_CHECKING, Final

from segue.session import process

if TYPE_CHECKING:
    from collections.abc import Callable

    from segue.session.process import ProcessIdentity

LAST_SECONDS: Final = 4.0
"""From the first sign to the last breath; the promise is five."""
LOOK_SECONDS: Final = 1.0

_log = logging.getLogger("segue.life")


class Life:
    """Ends once, whoever says so; `leave` is called on the thread that notices."""

    def __init__(self) -> None:
        self.code = 0
        self.ending = threading.Event()
        self._lock = threading.Lock()
        self._leave: list[Callable[[], None]] = []

    def on_end(self, leave: Callable[[], None]) -> None:
        """Call this when the end begins, or now if it has."""
        with self._lock:
            self._leave.append(leave)
            late = self.ending.is_set()
        if late:
            leave()

    def end(self, why: str, code: int = 0) -> None:
        """Begin to end, from any thread; a deadline stands behind it."""
        with self._lock:
            if self.ending.is_set():
                return
            self.code = code
            self.ending.set()
            leaving = list(self._leave)
        deadline = threading.Timer(LAST_SECONDS, os._exit, (code,))
        deadline.daemon = True
        deadline.start()
        _log.info("ending: %s", why)
        for leave in leaving:
            leave()

    def watch(self, pid: int) -> None:
        """End with the client's process, should its pipe stay open in some other hand."""
        parent = process.of(pid)
        if parent is None:
            _log.warning("the client's process %s is not to be seen: not watched", pid)
            return
        threading.Thread(
            target=self._watch, args=(parent,), name="segue-parent", daemon=True
        ).start()

    def _watch(self, parent: ProcessIdentity) -> None:
        while not self.ending.wait(LOOK_SECONDS):
            if process.is_gone(parent) is True:
                self.end("the client's process has gone")
                return
