"""The server's end of a worker: start it, call it, and kill it with everything it started."""

from __future__ import annotations

import os
import selectors
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from .. import limits
from ..errors import SegueError
from ..process import ProcessIdentity, of
from .budget import Budget
from .frames import BadFrame, Buffer, encode

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..clock import Clock

TICK_SECONDS = 0.1
"""How often a waiting call looks at the clock and lets its caller look around."""


class WorkerDied(SegueError):
    """The worker ended by itself in the middle of a call."""

    code = "worker_died"


class WorkerTimedOut(SegueError):
    """The call used up its time; the worker and all it started were killed."""

    code = "timed_out"


class Worker:
    """One worker process. It belongs to the thread that made it."""

    def __init__(self, clock: Clock, interpreter: str | None = None) -> None:
        self._clock = clock
        ours, theirs = socket.socketpair()
        life_read, self._lifeline = os.pipe()
        printed_read, printed_write = os.pipe()
        command = [interpreter or sys.executable, "-P", "-X", "utf8", "-m"]
        module = "segue.session.engine.worker"
        try:
            self._process = subprocess.Popen(
                [*command, module, str(theirs.fileno()), str(life_read)],
                stdin=subprocess.DEVNULL,
                stdout=printed_write,
                stderr=printed_write,
                pass_fds=(theirs.fileno(), life_read),
                start_new_session=True,
            )
        except OSError as error:
            ours.close()
            os.close(self._lifeline)
            os.close(printed_read)
            raise SegueError(f"cannot start the worker {command[0]}: {error.strerror}") from error
        finally:
            theirs.close()
            os.close(life_read)
            os.close(printed_write)
        self._socket = ours
        self._printed_fd = printed_read
        self._printed = bytearray()
        self._buffer = Buffer()
        self._exited = _exit_handle(self._process.pid)
        self._selector = selectors.DefaultSelector()
        self._selector.register(ours, selectors.EVENT_READ, self._read_socket)
        self._selector.register(printed_read, selectors.EVENT_READ, self._read_printed)
        if self._exited is not None:
            self._selector.register(self._exited, selectors.EVENT_READ, self._read_exit)
        self._gone = False
        self.closed = False
        self.identity: ProcessIdentity | None = of(self._process.pid)
        """Of the worker, which leads the process group of everything it starts."""

    def call(
        self,
        message: dict[str, Any],
        budget: Budget,
        *,
        on_progress: Callable[[dict[str, Any]], None] | None = None,
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
        budget.start()
        try:
            self._send(message)
            return self._wait(budget, on_progress, on_tick)
        finally:
            budget.stop()

    def _send(self, message: dict[str, Any]) -> None:
        try:
            data = encode(message)
        except BadFrame as error:
            raise WorkerDied(f"too much to tell the worker: {error}") from error
        try:
            self._socket.sendall(data)
        except OSError as error:
            raise self._death() from error

    def _wait(
        self,
        budget: Budget,
        on_progress: Callable[[dict[str, Any]], None] | None,
        on_tick: Callable[[], None] | None,
    ) -> dict[str, Any]:
        while True:
            message = self._take()
            if message is not None:
                if "progress" not in message:
                    return message
                if on_progress is not None:
                    on_progress(message["progress"])
                continue
            if self._gone:
                raise self._death()
            ready = self._selector.select(TICK_SECONDS)
            for key, _ in ready:
                key.data()
            if self._exited is None and not ready:
                self._read_exit()
            if budget.exceeded():
                self.kill()
                raise WorkerTimedOut(f"took more than its {_seconds(budget.limit)}")
            if not ready and on_tick is not None:
                on_tick()

    def _take(self) -> dict[str, Any] | None:
        try:
            return self._buffer.take()
        except BadFrame as error:
            self.kill()
            raise WorkerDied(f"the worker broke its protocol: {error}") from error

    def _read_socket(self) -> None:
        try:
            data = self._socket.recv(1 << 18)
        except OSError:
            data = b""
        if data:
            self._buffer.feed(data)
        else:
            self._selector.unregister(self._socket)
            self._gone = True

    def _read_printed(self) -> None:
        data = os.read(self._printed_fd, 1 << 16)
        if not data:
            self._selector.unregister(self._printed_fd)
        self._printed += data
        del self._printed[: -limits.PRINT_CHARS]

    def _read_exit(self) -> None:
        # Waiting without reaping: until `kill` has swept the group, the zombie keeps its id.
        if _has_exited(self._process.pid):
            self._gone = True
            if self._exited is not None:
                self._selector.unregister(self._exited)

    def printed(self) -> str:
        """Give the last that author code printed."""
        return self._printed.decode("utf-8", "replace")

    def _death(self) -> WorkerDied:
        self._drain_printed()
        self.kill()
        code = self._process.returncode
        how = f"killed by {_signal(-code)}" if code and code < 0 else f"exit code {code}"
        said = self.printed().strip()[-400:]
        return WorkerDied(f"the worker died ({how})" + (f"; it printed: {said}" if said else ""))

    def _drain_printed(self) -> None:
        os.set_blocking(self._printed_fd, False)
        with suppress(BlockingIOError, OSError):
            while data := os.read(self._printed_fd, 1 << 16):
                self._printed += data
                del self._printed[: -limits.PRINT_CHARS]

    def kill(self) -> None:
        """End the worker and its whole process group, at once; twice is harmless."""
        if self.closed:
            return
        self.closed = True
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._selector.close()
        self._socket.close()
        os.close(self._printed_fd)
        os.close(self._lifeline)
        if self._exited is not None:
            os.close(self._exited)


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


def _has_exited(pid: int) -> bool:
    try:
        found = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return True
    return found is not None


def _seconds(limit: float | None) -> str:
    return "time" if limit is None else f"{limit:g} s"


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
