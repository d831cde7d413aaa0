"""Watches the projects of the workspace for runs: one thread that hears other processes' commits.

It only reads, makes no state where there is none, and hands what it saw to the loop.
"""

from __future__ import annotations

import logging
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from segue.session.errors import SegueError
from segue.session.status import REHEARSAL
from segue.session.store import runs
from segue.session.store.store import Store
from segue.session.view import view

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from segue.session.clock import Clock

    from .folders import Project

POLL_SECONDS: Final = 0.25
"""How soon another process's commit is shown. A session's pump hears it sooner; bars need not."""
LOOK_SECONDS: Final = 2.0
"""How often it looks for what no commit tells: state made anew, an owner proved gone."""

_log = logging.getLogger("segue.watch")

Seen = list[dict[str, Any]]


class Watch:
    """`seen(project, views)` is called on the thread with the runs that have not ended."""

    def __init__(self, seen: Callable[[Project, Seen], None], clock: Clock) -> None:
        self._seen, self._clock = seen, clock
        self._wanted: dict[Path, Project] = {}
        self._open: dict[Path, tuple[Store, int]] = {}
        self._told: dict[Path, Seen] = {}
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def set(self, projects: list[Project]) -> None:
        """Watch these projects, and no others."""
        with self._lock:
            self._wanted = {project.root: project for project in projects}
        if projects and self._thread is None:
            self._thread = threading.Thread(target=self._run, name="segue-watch", daemon=True)
            self._thread.start()

    def close(self) -> None:
        self._stop.set()
        if self._thread is not None:
            self._thread.join(1.0)

    def _run(self) -> None:
        look = 0.0
        while not self._stop.wait(POLL_SECONDS):
            look -= POLL_SECONDS
            due = look <= 0
            if due:
                look = LOOK_SECONDS
            with self._lock:
                wanted = dict(self._wanted)
            for root in [root for root in self._open if root not in wanted]:
                self._forget(root)
            for project in wanted.values():
                self._look(project, due=due)
        for root in list(self._open):
            self._forget(root)

    def _look(self, project: Project, *, due: bool) -> None:
        try:
            if project.root not in self._open:
                if not due or not project.has_state:
                    return
                self._open[project.root] = (Store(project.database, self._clock), -1)
            store, before = self._open[project.root]
            version = store.data_version()
            self._open[project.root] = (store, version)
            if version == before and not (due and self._told.get(project.root)):
                return
            with store.read() as db:
                listed = [run for run in runs.live(db) if run.origin.host != REHEARSAL]
                views = [view(db, run, 0) for run in listed]
        except (SegueError, OSError) as error:
            _log.info("%s: %s", project.root, error)
            self._forget(project.root)
            return
        if views != self._told.get(project.root, []):
            self._told[project.root] = views
            self._seen(project, views)

    def _forget(self, root: Path) -> None:
        store, _ = self._open.pop(root, (None, 0))
        self._told.pop(root, None)
        if store is not None:
            with suppress(Exception):
                store.close()
