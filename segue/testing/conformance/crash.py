"""Where a process can die: before, in the middle of and after every commit and host call.

`Points.at` is passed at each of them. An armed one raises `Crash`, which nothing in Segue
catches; from then on every point raises, so that code which is only being unwound writes
nothing, as a killed process would not.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from unittest import mock

from segue.session.store.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from segue.session.store.tx import Tx


class Crash(BaseException):
    """The process dies here."""


@dataclass(slots=True)
class Points:
    """Counts the points that are passed, and lets the process die at one of them."""

    passed: list[str] = field(default_factory=list)
    dying: bool = False
    worker_dies: Callable[[dict[str, Any]], str | None] | None = None
    """Asked before each call of a worker: a text is how the worker dies of it."""
    _left: int = 0

    def arm(self, number: int) -> None:
        """Die at the `number`th point from now; 0 for never."""
        self._left = number

    def at(self, name: str) -> None:
        """Pass a point.

        Raises:
            Crash: It is the armed one, or the process is dying already.
        """
        if self.dying:
            raise Crash(name)
        self.passed.append(name)
        if self._left:
            self._left -= 1
            if not self._left:
                self.dying = True
                raise Crash(name)

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Pass a point at every commit boundary of every store in this process."""
        real = Store.write

        @contextmanager
        def write(store: Store, *args: Any, **kwargs: Any) -> Iterator[Tx]:
            self.at("commit: not begun")
            with real(store, *args, **kwargs) as tx:
                yield tx
                self.at("commit: not committed")
            self.at("commit: committed")

        with mock.patch.object(Store, "write", write):
            yield


@contextmanager
def unsynced() -> Iterator[None]:
    """Let commits not wait for the disk: a played crash is no power failure."""
    real = Store.__init__

    def opened(store: Store, *args: Any, **kwargs: Any) -> None:
        real(store, *args, **kwargs)
        store.db.execute("PRAGMA synchronous = OFF")

    with mock.patch.object(Store, "__init__", opened), mock.patch.object(os, "fsync"):
        yield
