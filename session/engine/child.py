"""The server's end of a worker: start it, call it, and kill it with everything it started."""

from __future__ import annotations

import os
import select
import signal
import sys
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from .. import limits
from ..errors import SegueError
from ..process import ProcessIdentity, of
from . import launch
from .budget import Budget
from .frames import BadFrame, Buffer, encode

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..clock import Clock

TICK_SECONDS = 0.1
"""How often a waiting call looks at the clock and lets its caller look around."""
_SPIN_SECONDS = 0.0001 if (os.cpu_count() or 1) > 1 else 0.0
"""How long a call looks for its answer before it sleeps: most callbacks take less than the 50 us
that a sleeping process needs to wake (bench/run.py)."""
_LOOK = getattr(os, "WEXITED", 0) | os.WNOHANG | getattr(os, "WNOWAIT", 0)


class WorkerDied(SegueError):
    """The worker ended by itself in the middle of a call."""

    code = "worker_died"


class WorkerTimedOut(SegueError):
    """The call used up its time; the worker and all it started were killed."""

    code = "timed_out"


class Worker:
    """One worker process. It belongs to the thread that made it."""

    def __init__(self, clock: Clock, interpreter: str | None = None) -> None:
        """Start one, or take the one that was started ahead.

        Raises:
            SegueError: It cannot be started.
        """
        self._clock = clock
        command = interpreter or sys.executable
        try:
            launched = launch.take(command)
        except OSError as error:
            what = f"cannot start the worker {command}"
            raise SegueError(f"{what}: {error.strerror}: {error.filename}") from error
        os.set_blocking(launched.calls, False)
        os.set_blocking(launched.answers, False)
        self._launched = launched
        self._printed = bytearray()
        self._buffer = Buffer()
        self._exited = _exit_handle(self._launched.pid)
        self._poll = select.poll()
        self._readers: dict[int, Callable[[], object]] = {}
        self._listen(launched.answers, self._read_answers)
        self._listen(launched.printed, self._read_printed)
        if self._exited is not None:
            self._listen(self._exited, self._read_exit)
        self._guard = threading.Lock()
        self._busy = False
        self._gone = False
        self._tick_at = self._spin_until = 0.0
        self.closed = False
        self.identity: ProcessIdentity | None = of(self._launched.pid)
        """Of the worker, which leads the process group of everything it starts."""

    def _listen(self, fd: int, read: Callable[[], object], what: int = select.POLLIN) -> None:
        self._poll.register(fd, what)
        self._readers[fd] = read

    def _ignore(self, fd: int) -> None:
        self._poll.unregister(fd)
        del self._readers[fd]

    def call(
        self,
        message: dict[str, Any],
        budget: Budget,
        *,
        on_progress: Callable[[dict[str, Any]], object] | None = None,
        on_tick: Callable[[], None] | None = None,
    ) -> dict[str, Any]:
        """Ask the worker and wait for its answer.

        Args:
            message: The call.
            budget: The time it may take; it is started and stopped here.
            on_progress: Called with each progress report that comes before the answer.
            on_tick: Called ten times a second while waiting; what it raises ends the call,
                and the worker has to be killed by whoever catches it.

        Raises:
            WorkerDied: With what it printed last.
            WorkerTimedOut: After the kill.
        """
        with self._guard:
            if self.closed:
                raise WorkerDied("the worker was ended before it was called")
            self._busy = True
        budget.start()
        try:
            self._send(message, budget, on_tick)
            return self._wait(budget, on_progress, on_tick)
        finally:
            budget.stop()
            with self._guard:
                self._busy = False
                if self.closed:
                    self._let_go()

    def _wait(
        self,
        budget: Budget,
        on_progress: Callable[[dict[str, Any]], object] | None,
        on_tick: Callable[[], None] | None,
    ) -> dict[str, Any]:
        now = time.monotonic()
        self._tick_at, self._spin_until = now + TICK_SECONDS, now + _SPIN_SECONDS
        while True:
            reply = self._take()
            if reply is None:
                self._turn(budget, on_tick)
            elif "progress" not in reply:
                return reply
            elif on_progress is not None:
                on_progress(reply["progress"])

    def _send(
        self, message: dict[str, Any], budget: Budget, on_tick: Callable[[], None] | None
    ) -> None:
        try:
            left = memoryview(encode(message))
        except BadFrame as error:
            raise SegueError(f"too much to tell the worker: {error}") from error
        while left:
            try:
                left = left[os.write(self._launched.calls, left) :]
            except BlockingIOError:
                # A worker that is stopped, or still importing: look after the time meanwhile.
                self._listen(self._launched.calls, _nothing, select.POLLOUT)
                self._turn(budget, on_tick)
                self._ignore(self._launched.calls)
            except OSError as error:
                raise self._death() from error

    def _turn(self, budget: Budget, on_tick: Callable[[], None] | None) -> None:
        """Take what comes within a tick, then look at the worker, the time and around."""
        if self._gone:
            raise self._death()
        while time.monotonic() < self._spin_until:
            if self._read_answers() or self._gone:
                return
        ready = self._poll.poll(TICK_SECONDS * 1000)
        for fd, _ in ready:
            if fd in self._readers:  # one before it may have ended it
                self._readers[fd]()
        if self._exited is None and not ready:
            self._read_exit()
        if budget.exceeded():
            self.kill()
            raise WorkerTimedOut(f"took more than its {_seconds(budget.limit)}")
        if on_tick is not None and time.monotonic() >= self._tick_at:
            # By the clock and not by silence: a flood of prints must not keep a cancel out.
            self._tick_at = time.monotonic() + TICK_SECONDS
            on_tick()

    def _take(self) -> dict[str, Any] | None:
        try:
            return self._buffer.take()
        except BadFrame as error:
            self.kill()
            raise WorkerDied(f"the worker broke its protocol: {error}") from error

    def _read_answers(self) -> bool:
        """Read once; whether there may be more."""
        try:
            data = os.read(self._launched.answers, 1 << 18)
        except BlockingIOError:
            return False
        except OSError:
            data = b""
        if data:
            self._buffer.feed(data)
            return True
        self._lose()
        return False

    def _lose(self) -> None:
        if not self._gone:
            self._ignore(self._launched.answers)
            self._gone = True

    def _read_printed(self) -> None:
        data = os.read(self._launched.printed, 1 << 16)
        if not data:
            self._ignore(self._launched.printed)
        self._printed += data
        del self._printed[: -limits.PRINT_CHARS]

    def _read_exit(self) -> None:
        # Waiting without reaping: until `kill` has swept the group, the zombie keeps its id.
        if not self._gone and self._has_exited():
            # What it said last counts, though a child that it forked keeps the pipe open.
            while self._read_answers():
                pass
            self._lose()

    def printed(self) -> str:
        """Give the last that author code printed."""
        return self._printed.decode("utf-8", "replace")

    def _death(self) -> WorkerDied:
        self._drain_printed()
        self.kill()
        code = self._launched.code
        how = f"killed by {_signal(-code)}" if code and code < 0 else f"exit code {code}"
        said = self.printed().strip()[-400:]
        return WorkerDied(f"the worker died ({how})" + (f"; it printed: {said}" if said else ""))

    def _drain_printed(self) -> None:
        os.set_blocking(self._launched.printed, False)
        with suppress(BlockingIOError, OSError):
            while data := os.read(self._launched.printed, 1 << 16):
                self._printed += data
                del self._printed[: -limits.PRINT_CHARS]

    def _has_exited(self) -> bool:
        waitid = getattr(os, "waitid", None)
        if waitid is None:  # macOS before Python 3.13
            return self._launched.has_ended()
        try:
            return waitid(os.P_PID, self._launched.pid, _LOOK) is not None
        except ChildProcessError:
            return True

    def kill(self) -> None:
        """End the worker and its whole process group, at once; twice is harmless.

        Any thread may. A call under way sees the end and lets go of the descriptors itself: they
        would have the numbers of somebody else's by the time it looks at them again.
        """
        with self._guard:
            if self.closed:
                return
            self.closed = True
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._launched.pid, signal.SIGKILL)
            self._launched.wait()
            if not self._busy:
                self._let_go()

    def _let_go(self) -> None:
        self._launched.close()
        if self._exited is not None:
            os.close(self._exited)
            self._exited = None


def _nothing() -> None:
    """There is room to write again: the loop that waits for it does."""


def _exit_handle(pid: int) -> int | None:
    """Give a descriptor that is readable once the process has ended, where there is one."""
    opener = getattr(os, "pidfd_open", None)
    if opener is None:
        return None
    try:
        fd: int = opener(pid)
    except OSError:
        return None
    return fd


def _seconds(limit: float | None) -> str:
    return "time" if limit is None else f"{limit:g} s"


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
