"""Keeps a binding going on a thread of its own: hears calls, clocks and other processes."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING, Final

from .errors import Fenced, SegueError

if TYPE_CHECKING:
    from .binding import Binding

POLL_SECONDS: Final = 0.1
"""How soon another process's commit is heard (product.md section 3)."""
HELD_LOOKS: Final = 5
"""Polls after which a host that was not idle is asked again."""
_log = logging.getLogger("segue.pump")


class Pump:
    """The thread that drives one binding. `wake` may be called from any thread."""

    def __init__(self, binding: Binding) -> None:
        self._binding = binding
        self._changed = threading.Condition()
        self._wanted = 1
        self._done = 0
        self._stop = False
        self._version = -1
        self._retry = False
        self._looks = 0
        binding.on_wake(self.wake, self.settle)
        self._thread = threading.Thread(
            target=self._run, name=f"segue-pump-{binding.key.host}", daemon=True
        )
        self._thread.start()

    def wake(self) -> None:
        """There is something to do."""
        with self._changed:
            self._wanted += 1
            self._changed.notify_all()

    def settle(self, seconds: float) -> bool:
        """Wait until everything woken for so far is done; False when the time was over."""
        with self._changed:
            wanted = self._wanted
            return self._changed.wait_for(lambda: self._done >= wanted or self._stop, seconds)

    def close(self) -> None:
        """End the thread; the binding is closed by whoever made it."""
        with self._changed:
            self._stop = True
            self._changed.notify_all()
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(
                    lambda: self._stop or self._wanted > self._done, POLL_SECONDS
                )
                if self._stop:
                    return
                wanted = self._wanted
            self._look(wanted)
            with self._changed:
                self._done = wanted
                self._changed.notify_all()

    def _look(self, wanted: int) -> None:
        """Work where there is work; a binding that has stepped aside ends this thread."""
        try:
            if wanted > self._done or self._due():
                self._once()
        except Fenced:
            with self._changed:
                self._stop = True

    def _due(self) -> bool:
        """Whether something happened that nobody woke this thread for."""
        version = self._binding.data_version()
        moved, self._version = version != self._version, version
        self._looks = 0 if moved else self._looks + 1
        held = self._binding.held and self._looks % HELD_LOOKS == 0
        return moved or held or self._retry or self._binding.time_is_due()

    def _once(self) -> None:
        self._retry = False
        try:
            self._binding.pump()
        except Fenced:
            raise
        except SegueError:
            # Expected trouble (a full disk, a conflict): it is tried again at the next look.
            _log.exception("session %s", self._binding.key)
            self._retry = True
