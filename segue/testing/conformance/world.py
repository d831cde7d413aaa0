"""One project with its state, servers that come and go, hosts with sessions in them."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from segue.session import paths, process, trust
from segue.session.store.store import Store

from . import flows
from .clock import CountedIds, FakeClock
from .crash import Points, unsynced
from .host import LOST, PUSH, FakeHost, Shape
from .local import LocalWire, Machine
from .wire import Gone

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from segue.session.hosts import Offer
    from segue.session.store.connection import Connection

    from .conversation import Conversation
    from .wire import Said, Server, Wire


@dataclass(eq=False)
class World:
    """Everything that a test of the rules plays with.

    Attributes:
        project: The project's root, with the kit's workflows in it.
        database: Its state.
        wire: How hosts reach Segue.
        hosts: Every instance of a host that there ever was.
        silent: Runs that a person has stopped and not resumed, with how.
        broken: What was seen that no rule allows, as it happened.
    """

    project: Path
    database: Path
    wire: Wire
    clock: FakeClock
    points: Points
    hosts: list[FakeHost] = field(default_factory=list)
    servers: list[Server] = field(default_factory=list)
    silent: dict[str, str] = field(default_factory=dict)
    broken: list[str] = field(default_factory=list)
    closing: ExitStack = field(default_factory=ExitStack)
    holders: dict[str, FakeHost] = field(default_factory=dict)
    """Who was attached to each session last."""
    checked: int | None = None
    """The state's version at the last check of the rules."""
    _db: Store | None = None
    _instances: int = 0

    # --- processes and hosts

    def server(self) -> Server:
        """Start one more server process."""
        made = self.wire.server()
        self.servers.append(made)
        return made

    def host(
        self,
        session: str = "a",
        shape: Shape = PUSH,
        *,
        server: Server | None = None,
        conversation: Conversation | None = None,
        reason: str = "startup",
    ) -> FakeHost:
        """Open a session in a new instance of a host."""
        self._instances += 1
        made = FakeHost(session, shape, f"i{self._instances}", self.points)
        if conversation is not None:
            made.conversation = conversation
        made.on_handed = self._handed
        self.hosts.append(made)
        self._attach(made, server or self.server(), reason)
        return made

    def restart(self, host: FakeHost, server: Server | None = None) -> None:
        """Give a host whose server has died a new server process."""
        self._attach(host, server or self.server(), "restart")

    def _attach(self, host: FakeHost, server: Server, reason: str) -> None:
        self.holders[host.session] = host
        try:
            host.attach(server, reason)
        except Gone:
            host.line = None

    def reopen(self, host: FakeHost, *, server: Server | None = None) -> FakeHost:
        """Open the same conversation in a new instance of the host."""
        host.held.clear()
        host.input.clear()
        host.turn = None
        return self.host(
            host.session,
            host.shape,
            server=server,
            conversation=host.conversation,
            reason="resume",
        )

    def fork(self, host: FakeHost, session: str, *, server: Server | None = None) -> FakeHost:
        """Fork a host's conversation into a session of its own."""
        made = self.host(
            session,
            host.shape,
            server=server or host.server,
            conversation=host.conversation.fork(),
            reason="fork",
        )
        made.forked_from(host.session)
        return made

    def kill(self, host: FakeHost) -> None:
        """Kill the server process of a host: it notices at its next call."""
        if host.server is not None:
            host.server.kill()
        self.notice()

    def notice(self) -> None:
        """Let every host know whose server has died."""
        for host in self.hosts:
            if host.server is not None and not host.server.alive:
                host.line = None

    # --- people

    def pause(self, host: FakeHost) -> Said:
        return self._silencing(host, "paused", lambda: host.command("pause"))

    def cancel(self, host: FakeHost) -> Said:
        return self._silencing(host, "cancelled", lambda: host.command("cancel"))

    def resume(self, host: FakeHost) -> Said:
        """The person types `/workflow resume`."""
        run = self.live(host.session)
        how = self.silent.pop(run, None) if run else None
        said = host.command("resume")
        if not said.ok and run and how and said is not LOST:
            self.silent[run] = how
        return said

    def escape(self, host: FakeHost) -> None:
        """The person presses Escape; where the host hides it, nothing is known yet."""
        if not host.shape.capabilities.sees_abort:
            host.escapes()
            return
        run = self.live(host.session)
        if run and host.line is not None:
            self.silent[run] = "escaped"
        host.escapes()
        if run and (host.line is None or host.fenced):
            self.silent.pop(run, None)  # the server died of it, or is another window's: not heard

    def elsewhere(self, server: Server, what: str, *words: Any) -> Said:
        """A person elsewhere asks, through a process of their own."""
        if what == "resume":
            self.silent.pop(str(words[0]), None)
        try:
            said = server.elsewhere(what, *words)
        except Gone:
            return LOST
        if what in ("pause", "cancel") and said.text in ("paused", "cancelled"):
            self.silent[str(words[0])] = f"{said.text} from elsewhere"
        return said

    def _silencing(self, host: FakeHost, how: str, do: Callable[[], Said]) -> Said:
        run = self.live(host.session)
        if run:
            self.silent[run] = how
        said = do()
        if run and not said.ok:
            self.silent.pop(run, None)
        return said

    def _handed(self, offer: Offer) -> None:
        if not offer.starts_turn:
            return
        run = offer.details.get("run")
        if run in self.silent:
            how = self.silent[run]
            self.broken.append(f"T4: {offer.kind} {offer.id} after the run was {how}")
        rows = self.rows("SELECT state, reason FROM runs WHERE id = ?", run)
        state, reason = rows[0] if rows else ("", None)
        speaks = state == "running" or (state, reason) == ("waiting", "checkpoint")
        if offer.kind == "fallback":
            speaks = state in ("failed", "timed_out", "cancelled")
        if not speaks:
            self.broken.append(f"T11: {offer.kind} {offer.id} while its run is {state}, {reason}")

    # --- what is stored

    @property
    def db(self) -> Connection:
        """A connection that only reads."""
        if self._db is None:
            self._db = Store(self.database, self.clock, read_only=True)
        return self._db.db

    def rows(self, sql: str, *args: Any) -> list[Any]:
        """Read rows of the state."""
        return self.db.execute(sql, args).fetchall()

    def one(self, sql: str, *args: Any) -> Any:
        """Read one value of the state; None where there is no row."""
        row = self.db.execute(sql, args).fetchone()
        return None if row is None else row[0]

    def live(self, session: str) -> str | None:
        """Give the run of a session that has not ended."""
        found: str | None = self.one(
            "SELECT r.id FROM runs r JOIN sessions s ON s.pk = r.session WHERE s.id = ?"
            " AND r.state NOT IN ('completed', 'failed', 'timed_out', 'cancelled')",
            session,
        )
        return found

    def state(self, session: str = "a") -> tuple[str, str | None]:
        """Give state and reason of a session's latest run."""
        found: tuple[str, str | None] = self.rows(
            "SELECT r.state, r.reason FROM runs r JOIN sessions s ON s.pk = r.session"
            " WHERE s.id = ? ORDER BY r.pk DESC LIMIT 1",
            session,
        )[0]
        return found

    def request(self, session: str = "a") -> str | None:
        """Give the id of the open request of a session's run."""
        found: str | None = self.one(
            "SELECT q.id FROM requests q JOIN runs r ON r.pk = q.run JOIN sessions s"
            " ON s.pk = r.session WHERE s.id = ? AND q.state = 'open'",
            session,
        )
        return found

    def trail(self, session: str = "a") -> list[tuple[str, int, int, str]]:
        """Give node, visit, attempt and state of every try in a session, in order."""
        return self.rows(
            "SELECT a.node, a.visit, a.attempt, a.state FROM attempts a JOIN runs r ON r.pk = a.run"
            " JOIN sessions s ON s.pk = r.session WHERE s.id = ? ORDER BY r.pk, a.step",
            session,
        )

    def said(self, session: str = "a") -> list[tuple[str, str]]:
        """Give kind and state of every message of a session, in order."""
        return self.rows(
            "SELECT m.kind, m.state FROM messages m JOIN sessions s ON s.pk = m.session"
            " WHERE s.id = ? ORDER BY m.pk",
            session,
        )

    def dump(self) -> dict[str, list[Any]]:
        """Give every row of every table."""
        names = [n for (n,) in self.rows("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        return {name: self.rows(f"SELECT * FROM {name}") for name in names}  # noqa: S608

    def close(self) -> None:
        """End every process."""
        for server in self.servers:
            server.kill()
        if self._db is not None:
            self._db.close()
        self.closing.close()

    def __enter__(self) -> World:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


_EMPTY: list[bytes] = []
"""A database with its schema and nothing in it: made once."""


def local_world(folder: Path, *, real_workers: bool = False) -> World:
    """Make a world inside a folder, with hosts and servers in this process."""
    project, state = folder / "project", folder / "home" / "projects" / "project-1"
    project.mkdir(parents=True, exist_ok=True)
    paths.prepare(state, top=folder / "home")
    flows.write_all(project)
    trust.trust(folder / "home", project)
    clock, points = FakeClock(), Points()
    machine = Machine(process.current())
    closing = ExitStack()
    closing.enter_context(points.watching())
    closing.enter_context(unsynced())
    closing.enter_context(machine.running())
    database = state / "state.sqlite3"
    if not _EMPTY:
        Store(database, clock).close()
        _EMPTY.append(database.read_bytes())
    database.write_bytes(_EMPTY[0])
    database.chmod(0o600)
    wire = LocalWire(
        project, database, clock, CountedIds(), points, machine, real_workers=real_workers
    )
    return World(project, database, wire, clock, points, closing=closing)
