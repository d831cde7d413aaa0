"""Logs: a file in the state folder that only its owner can read, and the client's own window.

Standard output belongs to the protocol: descriptor 1 is pointed at the log, so that a stray
print of any library, in C as well, cannot break a frame (S3). Nothing is written to standard
error, which may be somebody's screen or a pipe that nobody reads.
"""

from __future__ import annotations

import logging
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

from segue.session import paths
from segue.session.errors import SegueError

if TYPE_CHECKING:
    from collections.abc import Callable

LOG_BYTES: Final = 2_000_000
"""A log is put aside at the next start when it is larger; one older one is kept."""


def claim_stdout() -> BinaryIO:
    """Take standard output for the protocol alone; what else is printed goes to `redirect`."""
    mine = os.dup(1)
    os.set_inheritable(mine, False)
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.close(null)
    return os.fdopen(mine, "wb")


def open_log() -> tuple[Path | None, str]:
    """Open the log and point stray prints at it; give the file, or why there is none."""
    try:
        home = paths.state_home(os.environ)
        folder = home.path / "logs"
        paths.prepare(folder, top=home.path)
        file = folder / "lsp.log"
        with suppress(OSError):
            if file.stat().st_size > LOG_BYTES:
                file.replace(file.with_suffix(".log.1"))
        fd = os.open(file, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)
    except (SegueError, OSError) as error:
        logging.raiseExceptions = False
        logging.getLogger().addHandler(logging.NullHandler())
        return None, str(error)
    os.dup2(fd, 1)
    os.close(fd)
    stream = os.fdopen(os.dup(1), "w", encoding="utf-8", errors="backslashreplace", buffering=1)
    sys.stdout = sys.stderr = stream
    handler = logging.StreamHandler(stream)
    handler.setFormatter(
        logging.Formatter("%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s")
    )
    logging.raiseExceptions = False
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(logging.WARNING)
    logging.getLogger("segue").setLevel(logging.INFO)
    return file, "; ".join(home.warnings)


class ClientHandler(logging.Handler):
    """Shows warnings and worse in the client's log window."""

    def __init__(self, tell: Callable[[int, str], None]) -> None:
        super().__init__(logging.WARNING)
        self._tell = tell

    def emit(self, record: logging.LogRecord) -> None:
        with suppress(Exception):
            self._tell(record.levelno, record.getMessage()[:2_000])
