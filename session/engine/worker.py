"""The worker: the only process in which author code runs.

Started by `launch.py` with three pipes: calls, answers and the lifeline. It reads calls one at a
time and answers each. Standard input is empty and both outputs go to a pipe,
so nothing that author code prints or reads can touch the protocol. When the lifeline closes, the
server is gone, and the worker kills its whole process group, commands included.
"""

from __future__ import annotations

import gc
import os
import select
import signal
import sys
import threading
import time
from contextlib import suppress
from importlib import import_module
from typing import Any, NoReturn

from .frames import Buffer, encode

_SPIN_SECONDS = 0.0005 if (os.cpu_count() or 1) > 1 else 0.0
"""How long the worker looks for the next call before it sleeps: a commit and a little more. In a
chain of steps it is awake then when the call comes; anywhere else it costs this once a step."""


_SOON = (
    "typing_extensions",
    "annotated_types",
    "pydantic_core",
    "pydantic.errors",
    "pydantic.fields",
    "pydantic.main",
)
"""What most workflows import and some do not: brought in, piece by piece, until the first call."""


class Channel:
    """The worker's end of the protocol."""

    def __init__(self, calls: int, answers: int) -> None:
        for fd in (calls, answers):
            os.set_inheritable(fd, False)
        self._calls = calls
        self._answers = answers
        self._poll = select.poll()
        self._poll.register(calls, select.POLLIN)
        self._buffer = Buffer()
        self._owner = os.getpid()
        self._sending = threading.Lock()
        """Author threads may report progress: frames never mix."""

    def is_called(self) -> bool:
        """Whether a call, or the server's end, is waiting."""
        return bool(self._poll.poll(0))

    def receive(self) -> dict[str, Any]:
        """Give the next call; ends the process when the server has gone."""
        until = time.monotonic() + _SPIN_SECONDS
        while (message := self._buffer.take()) is None:
            while not self.is_called() and time.monotonic() < until:
                pass
            data = os.read(self._calls, 1 << 16)
            if not data:
                die()
            self._buffer.feed(data)
        return message

    def send(self, message: dict[str, Any]) -> None:
        if os.getpid() != self._owner:
            # Author code forked and its child came back here: it has no say in the protocol.
            os._exit(0)
        left = memoryview(encode(message))
        try:
            with self._sending:
                while left:
                    left = left[os.write(self._answers, left) :]
        except OSError:
            die()


def die() -> NoReturn:
    """End this process and everything it started."""
    os.killpg(0, signal.SIGKILL)
    os._exit(1)


def watch(lifeline: int) -> None:
    """End with the server: the lifeline's other end closes when it dies, however it dies."""
    os.set_inheritable(lifeline, False)
    if sys.platform == "linux":
        # The kernel itself kills the group then, even while C code holds the interpreter.
        import fcntl

        fcntl.fcntl(lifeline, fcntl.F_SETOWN, -os.getpgrp())
        fcntl.fcntl(lifeline, fcntl.F_SETSIG, signal.SIGKILL)
        flags = fcntl.fcntl(lifeline, fcntl.F_GETFL)
        fcntl.fcntl(lifeline, fcntl.F_SETFL, flags | os.O_ASYNC)

    def wait() -> None:
        while os.read(lifeline, 1):
            pass
        die()

    threading.Thread(target=wait, name="lifeline", daemon=True).start()


def _close_others(ours: list[int]) -> None:
    """Close what the server itself was given by whoever started it.

    Only that is inheritable: what Python opens, here or there, is not.
    """
    for fd in map(int, os.listdir("/dev/fd")):  # noqa: PTH208 - pathlib is slow to import
        if fd > 2 and fd not in ours:
            with suppress(OSError):
                if os.get_inheritable(fd):
                    os.close(fd)


def main() -> NoReturn:
    """Serve calls until the server goes."""
    gc.disable()  # until the run begins: what is imported stays
    calls_fd, answers_fd, lifeline = fds = [int(word) for word in sys.argv[1:]]
    _close_others(fds)
    channel = Channel(calls_fd, answers_fd)
    watch(lifeline)
    # Behind the channel: the server sends while these, the slow imports, are under way.
    from .calls import Calls

    calls = Calls(channel.send)
    for module in _SOON:
        if channel.is_called():
            break
        import_module(module)
    while True:
        message = channel.receive()
        channel.send(calls.answer(message))
        if message["do"] == "begin":
            gc.freeze()  # no collection has to walk again what was imported
            gc.enable()
