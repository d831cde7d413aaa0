"""The one door that every front uses: the language server, the command line, rehearsals.

A service is of one project and opens its database when it is first needed. What a process uses
now and then is imported by the method that does it: going on with a run waits for none of it.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from . import process, settings
from . import sessions as session_ids
from .clock import SystemClock
from .engine.child import Worker
from .errors import StateError
from .evaluator import Evaluator
from .ids import RandomIds
from .runner import Runner
from .store import attachments, runs, sessions
from .store.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from .binding import Binding
    from .canonical import Json
    from .clock import Clock
    from .drift import Drift
    from .hosts import Capabilities, Host
    from .ids import Ids
    from .loader import Loaded
    from .outlook import Outlook, Question
    from .ownership import Actor, SessionKey
    from .report import Report, Summary
    from .roster import Entry
    from .store.connection import Connection
    from .store.health import Health
    from .store.records import Authority, Request, Run
    from .store.runs import Prepared
    from .store.sessions import SessionRow
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
        self.trusted = False
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
        from . import loader

        worker = worker or self.spawn()
        try:
            return loader.load(found, self.project, worker, self.clock, self.settings.load_seconds)
        except BaseException:
            worker.kill()
            raise

    def check_input(self, loaded: Loaded, value: Json) -> Json:
        """Give the input as the workflow's model stores it; raises `InputInvalid`."""
        from . import loader

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

    def detach(self, authority: Authority) -> None:
        """Disconnect this process from a session; its runs park where they stand."""
        attachments.detach(self.store, authority)

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
        store: Store | None = None,
    ) -> Prepared:
        """Start a run by its identity, or adopt the one that the same launch started (O5)."""
        from . import launches

        return launches.prepare(
            self,
            loaded,
            value,
            actor=actor,
            origin=origin,
            launch_id=launch_id,
            authority=authority,
            parent=parent,
            store=store or self.store,
        )

    def runner(
        self,
        run: Run,
        authority: Authority,
        worker: Worker | None = None,
        *,
        loaded: bool = False,
        store: Store | None = None,
        **hooks: Any,
    ) -> Runner:
        """Give the driver of a run; `worker` may be up already, and have `loaded` it."""
        store = store or self.store
        evaluator = Evaluator(
            store,
            self.clock,
            self.spawn,
            worker,
            loaded=loaded,
            load_seconds=self.settings.load_seconds,
        )
        return Runner(store, self.clock, self.ids, authority, run, evaluator, **hooks)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """One consistent view of the project's state, on a connection of its own."""
        with Store(self.database, self.clock) as store, store.read() as db:
            yield db

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
        from . import report

        return report.summaries(self.store, limit)

    def report(self, text: str, *, events: bool = False) -> Report:
        """Give all of the run that a person names."""
        from . import report

        return report.report(self.store, text, events=events)

    def outlook(self, text: str) -> Outlook:
        """Give where the run that a person names stands, and what can go on with it."""
        from . import outlook

        with self.store.read() as db:
            return outlook.outlook(db, runs.find(db, text))

    def asked(self, request_id: str) -> tuple[Run, Question]:
        """Give a request as it is shown to a person, and its run."""
        from . import outlook

        with self.store.read() as db:
            return outlook.asked(db, request_id)

    def problems(self, request_id: str) -> list[dict[str, str]]:
        """Give what was wrong with the last rejected answer to a request."""
        from . import outlook

        with self.store.read() as db:
            return outlook.problems(db, request_id)

    def roster(self, *, rehearsals: bool = False) -> list[Entry]:
        """Give the project's sessions, those attached last first."""
        from . import roster

        with self.store.read() as db:
            return roster.roster(db, rehearsals=rehearsals)

    def drifts(self, run: Run) -> list[Drift]:
        """Give the source files of a run that have changed since it was started."""
        from . import drift

        with self.store.read() as db:
            return drift.drifts(db, run)

    def examine(self) -> Health:
        """Look the database over."""
        from .store import health

        return health.examine(self.store)

    def backup(self, target: Path) -> None:
        """Copy the database, in use or not, into a new file."""
        from .store import health

        health.backup(self.store, target)

    # --- what people ask for from elsewhere

    def ask(self, run: Run, actor: Actor, what: str) -> Run:
        """Store a pause, a resume or a cancel for the run's attachment to carry out (D9)."""
        from . import asks

        return asks.ask(self, run, actor, what)

    def carry_out(self, run: Run, actor: Actor, what: str) -> Run:
        """Ask the run's owner; where that is gone, pause or cancel it from here (D9)."""
        from . import asks

        return asks.carry_out(self, run, actor, what)

    def settle(self, run: Run, actor: Actor, how: str, output: Any) -> Run:
        """Say what became of an effect that a crash left unknown: `done`, `again`, `failed`."""
        from . import asks

        return asks.settle(self, run, actor, how, output)

    def decide(
        self, request_id: str, choice: str, text: str | None, shown: bytes | None, actor: Actor
    ) -> Request:
        """Store a person's answer to a human request (H1, H2); the first one wins."""
        from . import decisions

        return decisions.decide(self, request_id, choice, text, shown, actor)

    def give(self, request_id: str, output: Json, actor: Actor) -> Request:
        """Store a person's answer to a checkpoint for the attachment to check and carry out."""
        from . import decisions

        return decisions.give(self, request_id, output, actor)

    def carry_out_answer(self, request: Request) -> None:
        """Take a stored answer from here, where the run's owner is gone."""
        from . import decisions

        decisions.carry_out(self, request)

    def queue(
        self,
        name: str,
        value: Any,
        text: str | None,
        key: SessionKey,
        told: Actor | None = None,
    ) -> Prepared:
        """Start a run for a session from elsewhere; its attachment takes it up.

        `told` is who reads what is said of a project that nobody trusts (H1).
        """
        from . import launches

        return launches.queue(self, name, value, text, key, told)

    def check_rebind(self, run: Run, to: SessionKey, actor: Actor) -> None:
        """Refuse what `rebind` would refuse, before a person is asked."""
        from . import screens

        screens.check_rebind(self, run, to, actor)

    def rebind(self, run: Run, to: SessionKey, actor: Actor) -> Run:
        """Move a run to another session, because a person says so (O2)."""
        from . import screens

        return screens.rebind(self, run, to, actor)

    def session(self, key: SessionKey) -> SessionRow:
        """Give a session of this project; raises `NotFound` with those that were seen (O8)."""
        from . import screens

        return screens.known(self, key)

    def clear(self, key: SessionKey, actor: Actor) -> str | None:
        """Take the session's ended run off the screen; give its id."""
        from . import screens

        return screens.clear(self, key, actor)

    # --- attaching a host

    def bind(
        self,
        host: str,
        session_id: str,
        *,
        instance: str,
        capabilities: Capabilities,
        port: Host | None = None,
        reason: str = "startup",
        host_version: str = "",
        trusted: bool = False,
        patience: float = 0.0,
    ) -> Binding:
        """Attach a host's instance to a session; it takes over from any older one (O7).

        Args:
            host: The host's name, such as `pi`.
            session_id: The host's own id of the conversation, verbatim (O1).
            instance: Names the running process of the host; a restarted server of the same
                instance just goes on, another one finds the run parked (T11).
            capabilities: What the host can do and prove.
            port: Its push side, where it has one.
            reason: The host's word for why (`startup`, `resume`, `fork`, ...); kept, never used.
            host_version: For `doctor` and bug reports.
            trusted: Whether the host's own workspace trust covers this project.
            patience: Seconds that a call may wait for the next step to carry it along.

        Raises:
            SessionUnknown: The id says nothing; no row was written.
            StateError: The session belongs to another project.
        """
        key = session_ids.check(host, session_id)
        bound = session_ids.bind(self.home, key, self.project)
        if bound != str(self.project):
            raise StateError(f"session {key} belongs to project {bound}: open its state, not this")
        self.trusted = self.trusted or trusted
        with self.store.read() as db:
            row = sessions.get(db, key)
            before = None if row is None else attachments.get(db, row.pk)
        authority = self.attach(
            key,
            instance=instance,
            reason=reason,
            facts={**capabilities.to_json(), "host_version": host_version},
        )
        reopened = before is None or before.instance != instance
        from .binding import Binding  # half of what a rehearsal would import, for hosts only

        return Binding(self, authority, capabilities, port, reopened=reopened, patience=patience)

    @property
    def home(self) -> Path:
        """The state home, two folders above the project's own."""
        return self.database.parents[2]

    def load_trusted(self, name: str, actor: Actor | None = None) -> Loaded:
        """Load a workflow by name, if its project may run code (S1)."""
        from . import launches

        return launches.load_trusted(self, name, actor)

    def input_for(self, loaded: Loaded, value: Any, text: str | None) -> Json:
        """Give the input that was written as JSON, or as free text after the name."""
        from . import launches

        return launches.input_for(loaded, value, text)
