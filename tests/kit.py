"""What the tests of the core share: a project in a folder, its service, a clock of their own."""

from __future__ import annotations

import hashlib
import itertools
import textwrap
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from segue.session import paths
from segue.session.ownership import Actor, SessionKey, Who
from segue.session.service import Service
from segue.session.workflow.discovery import find

if TYPE_CHECKING:
    import sqlite3
    from pathlib import Path

    from segue.session.canonical import Json
    from segue.session.clock import Clock
    from segue.session.loader import Loaded
    from segue.session.runner import Runner
    from segue.session.standing import Standing
    from segue.session.store.store import Store

HEAD = """
import os, sys, time, signal, asyncio, json, subprocess
from pathlib import Path
from typing import Any, Literal
from pydantic import BaseModel, Field
from segue import OUTCOME, Context, Progress, ShellResult, Workflow
"""


@dataclass
class FakeClock:
    """Time that only a test moves."""

    ms: int = 1_700_000_000_000
    seconds: float = 1000.0

    def now(self) -> int:
        return self.ms

    def monotonic(self) -> float:
        return self.seconds

    def advance(self, seconds: float) -> None:
        """Let active time pass."""
        self.seconds += seconds
        self.ms += int(seconds * 1000)

    def sleep(self, seconds: float) -> None:
        """Close the laptop: the calendar moves, the monotonic clock stands still."""
        self.ms += int(seconds * 1000)


@dataclass
class NumberedIds:
    """Ids that a test can name."""

    count: itertools.count[int] = field(default_factory=lambda: itertools.count(1))

    def new(self, kind: str) -> str:
        return f"{kind}_{next(self.count)}"


def write_workflow(project: Path, name: str, text: str, *, head: str = HEAD) -> Path:
    """Put a workflow into a project."""
    file = project / ".segue" / "workflows" / f"{name}.py"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(head + textwrap.dedent(text), "utf-8")
    return file


@dataclass
class Desk:
    """One project with its service: most tests start here."""

    project: Path
    service: Service
    clock: Clock
    runners: list[Runner] = field(default_factory=list)

    def write(self, name: str, text: str, *, head: str = HEAD) -> Path:
        return write_workflow(self.project, name, text, head=head)

    def load(self, name: str) -> Loaded:
        return self.service.load(find(name, self.project, self.project / "nobody"))

    def start(self, name: str, value: Json = None, session: str = "s", **hooks: Any) -> Runner:
        """Launch a run in a session of its own host and give its driver."""
        key = SessionKey("test", session)
        loaded = self.load(name)
        authority = self.service.attach(key, instance="test", reason="test")
        try:
            prepared = self.service.prepare(
                loaded,
                {} if value is None else value,
                actor=Actor(Who.PERSON, key),
                origin=key,
                launch_id=f"{session}/{name}",
                authority=authority,
            )
        except BaseException:
            loaded.worker.kill()
            raise
        runner = self.service.runner(prepared.run, authority, loaded.worker, loaded=True, **hooks)
        self.runners.append(runner)
        return runner

    def again(self, runner: Runner, **hooks: Any) -> Runner:
        """Give a new driver of a run, as a new process of its instance would have."""
        runner.close()
        authority = self.service.attach(runner.run.origin, instance="test", reason="again")
        made = self.service.runner(self.service.find_run(runner.run.id), authority, **hooks)
        self.runners.append(made)
        return made

    def close(self) -> None:
        for runner in self.runners:
            runner.close()
        self.service.close()


def desk(folder: Path, clock: Clock | None = None, project: Path | None = None) -> Desk:
    """Make a project and its state inside a folder."""
    clock = clock or FakeClock()
    project = project or folder / "project"
    project.mkdir(parents=True, exist_ok=True)
    state = folder / "state"
    paths.prepare(state)
    service = Service(project, state / "state.sqlite3", clock, NumberedIds())
    return Desk(project, service, clock)


def drive(runner: Runner, answers: dict[str, list[Json]] | None = None) -> Standing:
    """Advance and answer until the answers run out or the run ends."""
    left = {path: list(items) for path, items in (answers or {}).items()}
    while True:
        standing = runner.advance()
        if standing.kind != "asking" or standing.attempt is None or standing.request is None:
            return standing
        items = left.get(standing.attempt.node)
        if not items:
            return standing
        runner.submit(standing.request.id, items.pop(0))


def trail(store: Store, run: int) -> list[tuple[str, int, int, str]]:
    """Give node, visit, attempt and state of every try of a run."""
    with store.read() as db:
        return db.execute(
            "SELECT node, visit, attempt, state FROM attempts WHERE run = ? ORDER BY step", (run,)
        ).fetchall()


def rows(db: sqlite3.Connection) -> dict[str, str]:
    """Give a digest of every table's rows: equal digests, nothing was written."""
    names = [n for (n,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    return {
        name: hashlib.sha256(
            repr(db.execute(f"SELECT * FROM {name}").fetchall()).encode()
        ).hexdigest()
        for name in names
    }


def event_kinds(store: Store, run: int) -> list[str]:
    with store.read() as db:
        return [
            kind
            for (kind,) in db.execute(
                "SELECT kind FROM events WHERE run = ? ORDER BY revision", (run,)
            )
        ]


def revisions(store: Store, run: int) -> list[int]:
    with store.read() as db:
        return [
            revision
            for (revision,) in db.execute(
                "SELECT revision FROM events WHERE run = ? ORDER BY pk", (run,)
            )
        ]
