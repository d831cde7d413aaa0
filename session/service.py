"""The one door that every front uses: the language server, the command line, rehearsals.

A service is of one project and opens its database when it is first needed.
"""

from __future__ import annotations

import base64
import hashlib
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from . import drift, limits, loader, ownership, process, report, settings, trust
from . import sessions as session_ids
from .binding import Binding
from .clock import SystemClock
from .engine.child import Worker
from .engine.state import RunEvent, move_run
from .errors import Conflict, NotAllowed, NotFound, SegueError, StateError
from .evaluator import Evaluator
from .ids import RandomIds
from .messages import Voice
from .ownership import Act, Actor, SessionKey, Who
from .runner import Runner
from .status import abandoned
from .store import attachments, definitions, health, messages, requests, runs, sessions, steps
from .store.store import Store
from .workflow import discovery
from .workflow.freetext import from_text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from .canonical import Json
    from .clock import Clock
    from .drift import Drift
    from .hosts import Capabilities, Host
    from .ids import Ids
    from .loader import Loaded
    from .report import Report, Summary
    from .store.health import Health
    from .store.connection import Connection
    from .store.records import Authority, Request, Run
    from .store.runs import Prepared
    from .store.sessions import SessionRow
    from .workflow.discovery import Found
    from .workflow.snapshot import NodeDef


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
        return runs.prepare_or_adopt(store or self.store, str(actor), launch, authority)

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

    # --- what people ask for from elsewhere

    def ask(self, run: Run, actor: Actor, what: str) -> Run:
        """Store a pause, a resume or a cancel for the run's attachment to carry out (D9).

        Raises:
            NotFound: The run has ended.
        """
        acts = {"pause": Act.PAUSE, "resume": Act.RESUME, "cancel": Act.CANCEL}
        ownership.check(actor, acts[what], run.origin)
        while True:
            if run.state in runs.TERMINAL:
                raise NotFound(f"run {run.id} has ended already ({run.state})")
            try:
                with self.store.write(str(actor), run) as tx:
                    tx.change(asked=what, asked_by=str(actor))
                    tx.event("asked_" + what)
            except Conflict:
                run = self.find_run(run.id)
                continue
            assert tx.run is not None
            return tx.run

    def carry_out(self, run: Run, actor: Actor, what: str) -> Run:
        """Ask the run's owner; where that is gone, pause or cancel it from here (D9)."""
        asked = self.ask(run, actor, what)
        with self.store.read() as db:
            owner = attachments.get(db, run.session)
        if what == "resume" or not abandoned(owner):
            return asked
        authority = self.attach(run.origin, instance="segue", reason=what)
        runner = self.runner(self.find_run(run.id), authority, voice=Voice)
        try:
            runner.carry_out_asked()
        finally:
            runner.close()
            attachments.detach(self.store, authority)
        return runner.run

    def decide(
        self, request_id: str, choice: str, text: str | None, shown: bytes | None, actor: Actor
    ) -> Request:
        """Store a person's answer to a human request (H1, H2); the first one wins.

        Raises:
            NotFound: No such request; it is closed; the choice is none of its own.
            StaleApproval: What was shown is not what is asked now.
        """
        with self.store.read() as db:
            request = requests.get(db, request_id)
            if request is None:
                raise NotFound(f"there is no request {request_id[:80]!r}; `segue runs` lists runs")
            run = runs.by_pk(db, request.run)
            attempt = steps.get(db, run.pk, request.step)
            node = definitions.get(db, run.definition).node(attempt.node) if attempt else None
        ownership.check(actor, Act.ANSWER_HUMAN, run.origin)
        if request.kind != "human" or node is None:
            raise NotAllowed(f"request {request.id} is no question to a person")
        if request.state != "open":
            raise Conflict(f"request {request.id} is {request.state} already")
        if shown is not None and shown != request.shown:
            raise StaleApproval(
                f"request {request.id}: what you were shown has changed; look again"
            )
        _check_choice(node, choice, text)
        answer = {"choice": choice, "text": text or None, "provenance": "human"}
        with self.store.write(str(actor)) as tx:
            requests.give(tx, request, answer)
            tx.event("given", {"request": request.id, "choice": choice}, session=run.session)
        return request

    def give(self, request_id: str, output: Json, actor: Actor) -> Request:
        """Store a person's answer to a checkpoint for the attachment to check and carry out."""
        with self.store.read() as db:
            request = requests.get(db, request_id)
            run = None if request is None else runs.by_pk(db, request.run)
        if request is None or run is None:
            raise NotFound(f"there is no request {request_id[:80]!r}; `segue runs` lists runs")
        ownership.check(actor, Act.ANSWER_CHECKPOINT, run.origin)
        if request.kind != "checkpoint":
            raise NotAllowed(f"request {request.id} is no checkpoint")
        with self.store.write(str(actor)) as tx:
            requests.give(tx, request, {"output": output})
            tx.event("given", {"request": request.id}, session=run.session)
        return request

    def queue(self, name: str, value: Any, text: str | None, key: SessionKey) -> Prepared:
        """Start a run for a session from elsewhere; its attachment takes it up."""
        self.session(key)
        loaded = self.load_trusted(name)
        try:
            return self.prepare(
                loaded,
                self.input_for(loaded, value, text),
                actor=Actor(Who.ELSEWHERE),
                origin=key,
                launch_id=self.ids.new("start"),
                authority=None,
            )
        finally:
            loaded.worker.kill()

    def rebind(self, run: Run, to: SessionKey, actor: Actor) -> Run:
        """Move a run to another session, because a person says so (O2)."""
        if actor.who is Who.ELSEWHERE:
            ownership.check(actor, Act.REBIND, run.origin)
        else:
            ownership.check(actor, Act.REBIND, to)
        target = self.session(to)
        if run.state in runs.TERMINAL:
            raise NotFound(f"run {run.id} has ended already ({run.state})")
        if target.pk == run.session:
            raise Conflict(f"run {run.id} belongs to session {to} already")
        with self.store.write(str(actor), run) as tx:
            runs.rebind(tx, run, target.pk)
            messages.supersede(tx, run.session)
            if run.state in ("queued", "running", "waiting"):
                tx.change(
                    state=move_run(run.state, RunEvent.PARK),
                    reason="rebound",
                    detail=f"it was moved here from session {run.origin}; resume goes on with it",
                )
            tx.change(asked=None, asked_by=None)
            tx.event("rebound", {"from": str(run.origin), "to": str(to)})
        return self.find_run(run.id)

    def session(self, key: SessionKey) -> SessionRow:
        """Give a session of this project.

        Raises:
            NotFound: It was never attached here; names those that were (O8).
        """
        with self.store.read() as db:
            found = sessions.get(db, key)
            known = [str(row.key) for row in sessions.latest(db, 6)] if found is None else []
        if found is None:
            names = ", ".join(known) or "none yet"
            raise NotFound(f"no session {key} was seen in this project (seen: {names})")
        return found

    def clear(self, key: SessionKey, actor: Actor) -> str | None:
        """Take the session's ended run off the screen; give its id."""
        ownership.check(actor, Act.STATUS, key)
        row = self.session(key)
        with self.store.read() as db:
            run = runs.shown_of(db, row.pk)
        if run is None:
            return None
        if run.state not in runs.TERMINAL:
            raise Conflict(f"run {run.id} has not ended ({run.state}): cancel it first")
        with self.store.write(str(actor)) as tx:
            sessions.clear(tx, row.pk, run.pk)
            tx.event("cleared", {"run": run.id}, session=row.pk)
        return run.id

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
        return Binding(self, authority, capabilities, port, reopened=reopened, patience=patience)

    @property
    def home(self) -> Path:
        """The state home, two folders above the project's own."""
        return self.database.parents[2]

    def load_trusted(self, name: str) -> Loaded:
        """Load a workflow by name, if its project may run code (S1).

        Raises:
            Untrusted: Nobody has trusted the project.
        """
        found = discovery.find(name, self.project)
        if found.origin in ("project", "path") and not (
            self.trusted or trust.is_trusted(self.home, self.project)
        ):
            raise Untrusted(
                f"{self.project} is not trusted, so nothing of it is run: a person can say"
                " `segue trust` in a terminal there"
            )
        return self.load(found)

    def input_for(self, loaded: Loaded, value: Any, text: str | None) -> Json:
        """Give the input that was written as JSON, or as free text after the name."""
        if text is None or not text.strip():
            made: Json = {} if value is None else value
            return made
        schema = loaded.definition.input_schema
        return from_text(schema, loaded.definition.name, text.strip())


class Untrusted(SegueError):
    """The project may not run code (S1)."""

    code = "untrusted"


class StaleApproval(SegueError):
    """What was shown is not what is asked now (H2)."""

    code = "stale_approval"


def _check_choice(node: NodeDef, choice: str, text: str | None) -> None:
    if choice not in node.choices:
        raise NotFound(f"{choice!r} is no choice here: {', '.join(node.choices)}")
    if choice in node.text and not (text or "").strip():
        raise NotFound(f"'{choice}' wants a text beside it")
    if text is not None and len(text) > limits.HUMAN_TEXT_CHARS:
        raise NotFound(
            f"the text has {len(text):,} characters; at most {limits.HUMAN_TEXT_CHARS:,}"
        )


def run_id(origin: SessionKey, launch_id: str) -> str:
    """Give a run's id: a digest of the session and of what launched it (O5)."""
    data = hashlib.sha256(f"{origin.host}\0{origin.id}\0{launch_id}".encode()).digest()
    return "run-" + base64.b32encode(data[:10]).decode().lower()
