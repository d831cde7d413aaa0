"""The one door that every front uses: the language server, the command line, rehearsals.

A service is of one project and opens its database when it is first needed.
"""

from __future__ import annotations

import base64
import hashlib
from typing import TYPE_CHECKING, Any

from . import drift, loader, ownership, process, report, settings
from .clock import SystemClock
from .engine.child import Worker
from .errors import NotFound
from .evaluator import Evaluator
from .ids import RandomIds
from .ownership import Act, Actor, SessionKey, Who
from .runner import Runner
from .store import attachments, health, runs
from .store.store import Store

if TYPE_CHECKING:
    from pathlib import Path

    from .canonical import Json
    from .clock import Clock
    from .drift import Drift
    from .ids import Ids
    from .loader import Loaded
    from .report import Report, Summary
    from .store.health import Health
    from .store.records import Authority, Run
    from .store.runs import Prepared
    from .workflow.discovery import Found


class Service:
    """Everything that can be done in one project.

    Args:
        project: The project's root.
        database: Where its state lies; the folder has been prepared (`paths.prepare`).
        clock: Time.
        ids: Gives request ids.
    """

    def __init__(
        self, project: Path, database: Path, clock: Clock | None = None, ids: Ids | None = None
    ) -> None:
        self.project = project
        self.database = database
        self.clock = clock or SystemClock()
        self.ids = ids or RandomIds()
        self.settings = settings.read(project)
        self._store: Store | None = None

    @property
    def store(self) -> Store:
        if self._store is None:
            self._store = Store(self.database, self.clock)
        return self._store

    def close(self) -> None:
        if self._store is not None:
            self._store.close()
            self._store = None

    def __enter__(self) -> Service:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- workflows

    def spawn(self) -> Worker:
        """Start a worker of the project's interpreter."""
        return Worker(self.clock, self.settings.python or None)

    def load(self, found: Found, worker: Worker | None = None) -> Loaded:
        """Load a workflow afresh in a worker, which the first run of it goes on using."""
        worker = worker or self.spawn()
        try:
            return loader.load(found, worker, self.clock, self.settings.load_seconds)
        except BaseException:
            worker.kill()
            raise

    def check_input(self, loaded: Loaded, value: Json) -> Json:
        """Give the input as the workflow's model stores it; raises `InputInvalid`."""
        return loader.check_input(loaded, value, self.clock, self.settings.load_seconds)

    # --- sessions and runs

    def attach(
        self, key: SessionKey, *, instance: str, reason: str, facts: dict[str, Any] | None = None
    ) -> Authority:
        """Connect this process to a session."""
        return attachments.attach(
            self.store,
            key,
            instance=instance,
            process=process.current(),
            reason=reason,
            facts=facts or {},
        )

    def prepare(
        self,
        loaded: Loaded,
        value: Json,
        *,
        actor: Actor,
        origin: SessionKey,
        launch_id: str,
        authority: Authority | None,
        parent: str | None = None,
    ) -> Prepared:
        """Start a run by its identity, or adopt the one that the same launch started (O5)."""
        ownership.check(actor, Act.QUEUE if actor.who is Who.ELSEWHERE else Act.START, origin)
        checked = self.check_input(loaded, value)
        launch = runs.Launch(
            run_id=run_id(origin, launch_id),
            origin=origin,
            definition=loaded.definition,
            source_ref=loaded.found.ref,
            sources=loaded.sources,
            texts=loaded.texts,
            input=checked,
            options=loaded.options,
            parent=parent,
            project=str(self.project),
        )
        return runs.prepare_or_adopt(self.store, str(actor), launch, authority)

    def runner(
        self,
        run: Run,
        authority: Authority,
        worker: Worker | None = None,
        *,
        loaded: bool = False,
        **hooks: Any,
    ) -> Runner:
        """Give the driver of a run; `worker` may be up already, and have `loaded` it."""
        evaluator = Evaluator(
            self.store,
            self.clock,
            self.spawn,
            worker,
            loaded=loaded,
            load_seconds=self.settings.load_seconds,
        )
        return Runner(self.store, self.clock, self.ids, authority, run, evaluator, **hooks)

    def find_run(self, text: str) -> Run:
        """Give the run that a person names."""
        with self.store.read() as db:
            return runs.find(db, text)

    def latest_runs(self, limit: int = 20) -> list[Run]:
        """Give the newest runs, newest first."""
        with self.store.read() as db:
            return runs.latest(db, limit)

    def summaries(self, limit: int = 20) -> list[Summary]:
        """Give the newest runs with their statuses, newest first."""
        return report.summaries(self.store, limit)

    def report(self, text: str, *, events: bool = False) -> Report:
        """Give all of the run that a person names."""
        return report.report(self.store, text, events=events)

    def drifts(self, run: Run) -> list[Drift]:
        """Give the source files of a run that have changed since it was started."""
        with self.store.read() as db:
            return drift.drifts(db, run)

    def examine(self) -> Health:
        """Look the database over."""
        return health.examine(self.store)

    def backup(self, target: Path) -> None:
        """Copy the database, in use or not, into a new file."""
        health.backup(self.store, target)

    def cancel(self, run: Run, actor: Actor) -> Run:
        """End a run, or ask its live owner to (D9)."""
        ownership.check(actor, Act.CANCEL, run.origin)
        if run.state in runs.TERMINAL:
            raise NotFound(f"run {run.id} has ended already ({run.state})")
        with self.store.read() as db:
            owner = attachments.get(db, run.session)
        if owner is not None and owner.detached_at is None:
            if process.is_gone(owner.process) is not True:
                return self._ask(run, actor, "cancel")
        authority = self.attach(run.origin, instance="segue", reason="cancel")
        runner = self.runner(self.find_run(run.id), authority)
        runner.cancel(f"cancelled by {actor}")
        attachments.detach(self.store, authority)
        return runner.run

    def _ask(self, run: Run, actor: Actor, what: str) -> Run:
        with self.store.write(str(actor), run) as tx:
            tx.change(asked=what)
            tx.event("asked_" + what)
        assert tx.run is not None
        return tx.run


def run_id(origin: SessionKey, launch_id: str) -> str:
    """Give a run's id: a digest of the session and of what launched it (O5)."""
    data = hashlib.sha256(f"{origin.host}\0{origin.id}\0{launch_id}".encode()).digest()
    return "run-" + base64.b32encode(data[:10]).decode().lower()
