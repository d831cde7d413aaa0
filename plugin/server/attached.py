"""One attached session: its service, its binding, the thread that drives it."""

from __future__ import annotations

import os
import signal
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from segue.session.errors import SegueError
from segue.session.pump import Pump
from segue.session.service import Service

if TYPE_CHECKING:
    from segue.session.binding import Binding
    from segue.session.engine.child import Worker
    from segue.session.loader import Loaded
    from segue.session.ownership import SessionKey
    from segue.session.workflow.discovery import Found

    from .folders import Project
    from .hosts import ClientHost


class Withdrawn(SegueError):
    """The call was cancelled before it had started anything."""

    code = "cancelled"


class SessionService(Service):
    """A session's own service: a start that is cancelled while its workflow loads is none."""

    def __init__(self, project: Project) -> None:
        super().__init__(project.root, project.database)
        self._guard = threading.Lock()
        self._loading: Worker | None = None
        self._withdrawn = False

    def load(self, found: Found, worker: Worker | None = None) -> Loaded:
        worker = worker or self.spawn()
        with self._guard:
            self._loading, self._withdrawn = worker, False
        try:
            loaded = super().load(found, worker)
        except SegueError:
            if self._withdrawn:
                raise Withdrawn("the call was cancelled; nothing was started") from None
            raise
        finally:
            with self._guard:
                self._loading = None
        if self._withdrawn:
            worker.kill()
            raise Withdrawn("the call was cancelled; nothing was started")
        return loaded

    def withdraw(self) -> None:
        """Whoever waits for the load has gone."""
        with self._guard:
            worker = self._loading
            if worker is None or worker.closed or worker.identity is None:
                return
            self._withdrawn = True
            # Its own thread sees it die and reaps it: until then the number stays its own.
            with suppress(ProcessLookupError):
                os.killpg(worker.identity.pid, signal.SIGKILL)


@dataclass
class Attached:
    """One session of this connection."""

    key: SessionKey
    project: Project
    service: SessionService
    binding: Binding
    host: ClientHost
    instance: str
    pump: Pump | None = None
    closed: bool = field(default=False)

    def start(self) -> None:
        """The client knows that it is attached: from now on it is spoken to."""
        self.host.there = True
        self.pump = Pump(self.binding)

    def close(self) -> None:
        """Let go: the worker ends, the run stands as it is stored."""
        if self.closed:
            return
        self.closed = True
        self.host.leave()
        with suppress(SegueError):
            self.binding.close()
        if self.pump is not None:
            self.pump.close()
        self.service.close()
