"""Starts a worker's process; it imports next to nothing, so that a command can do it first.

A worker takes longer to come up than all that its server does meanwhile: the commands that drive
a run start one before they read their own words (`segue/__main__.py`).
"""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress

_MAIN = "from segue.session.engine.worker import main; main()"
"""Not `-m`: finding a module by name costs as much as half of the interpreter's own start."""


class Launched:
    """A worker's process and our ends of its pipes.

    Attributes:
        pid: It leads a session, and with it the process group of all that it starts.
        interpreter: What it runs in.
        calls: Where calls are written.
        answers: Where answers are read.
        printed: Where what it prints is read.
        lifeline: Its other end tells the worker that its server is gone.
        code: How it ended, once it was waited for: an exit code, or minus a signal.
    """

    def __init__(self, interpreter: str) -> None:
        """Start it.

        Raises:
            OSError: It cannot be started.
        """
        self.interpreter = interpreter
        self.code: int | None = None
        calls, self.calls = os.pipe()
        self.answers, answers = os.pipe()
        life, self.lifeline = os.pipe()
        self.printed, printed = os.pipe()
        theirs = (calls, answers, life)
        # Our descriptors stay closed to every other child; the copies are the worker's alone, and
        # above all of ours, so that no copy takes the place of one that is still to be made.
        first = max(*theirs, printed) + 1
        given = range(first, first + 3)
        try:
            self.pid = os.posix_spawnp(
                interpreter,
                [interpreter, "-P", "-X", "utf8", "-c", _MAIN, *map(str, given)],
                os.environ,
                file_actions=[
                    # In this order: where our own standard streams are closed, a pipe has 0 or 1.
                    *((os.POSIX_SPAWN_DUP2, fd, to) for fd, to in zip(theirs, given, strict=True)),
                    (os.POSIX_SPAWN_DUP2, printed, 1),
                    (os.POSIX_SPAWN_DUP2, printed, 2),
                    (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                ],
                setsid=True,
            )
        except OSError:
            self.close()
            raise
        finally:
            for fd in (*theirs, printed):
                os.close(fd)

    def has_ended(self) -> bool:
        """Whether it has ended; it is collected then."""
        return self._collected(os.WNOHANG)

    def wait(self) -> int:
        """Wait for its end and collect it; give how it ended."""
        self._collected(0)
        assert self.code is not None
        return self.code

    def _collected(self, how: int) -> bool:
        if self.code is None:
            try:
                pid, status = os.waitpid(self.pid, how)
            except ChildProcessError:  # we were started with SIGCHLD ignored: nobody knows how
                self.code = 0
            else:
                self.code = os.waitstatus_to_exitcode(status) if pid else None
        return self.code is not None

    def close(self) -> None:
        """Let go of our ends."""
        for fd in (self.calls, self.answers, self.lifeline, self.printed):
            os.close(fd)


_ahead: list[Launched] = []


def ahead() -> None:
    """Start a worker of this interpreter for the one command that this process will run.

    Where none can be started, the command that needs one says so.
    """
    with suppress(OSError):
        _ahead.append(Launched(sys.executable))


def drop() -> None:
    """End the worker that was started ahead: nothing is driven here after all."""
    while _ahead:
        launched = _ahead.pop()
        os.kill(launched.pid, signal.SIGKILL)
        launched.wait()
        launched.close()


def take(interpreter: str) -> Launched:
    """Give the worker that was started ahead where it is of this interpreter, else start one.

    Raises:
        OSError: It cannot be started.
    """
    if _ahead and _ahead[0].interpreter == interpreter:
        return _ahead.pop()
    drop()
    return Launched(interpreter)
