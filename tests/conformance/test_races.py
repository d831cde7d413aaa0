"""Real processes at once, and real kills: one winner, one run, nothing lost, nothing twice."""

from __future__ import annotations

import json
import random
import signal
import subprocess
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from segue.session import paths, process, trust
from segue.session.clock import SystemClock
from segue.session.service import Service
from segue.session.store.store import Store
from segue.testing.conformance import flows
from segue.testing.conformance import race as races

if TYPE_CHECKING:
    from segue.session.store.connection import Connection

RACER = Path(__file__).parent / "racer.py"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project and its state, for real processes."""
    project, state = tmp_path / "project", tmp_path / "home" / "projects" / "project-1"
    project.mkdir()
    paths.prepare(state, top=tmp_path / "home")
    flows.write_all(project)
    trust.trust(tmp_path / "home", project)
    Store(database(tmp_path), SystemClock()).close()
    return tmp_path


def database(folder: Path) -> Path:
    return folder / "home" / "projects" / "project-1" / "state.sqlite3"


def db(folder: Path) -> Connection:
    return Store(database(folder), SystemClock(), read_only=True).db


def test_of_two_that_attach_at_once_one_holds_the_session(folder: Path) -> None:
    """O7, P-C12: every epoch is given once, and only the newest one writes."""
    said = races.race(RACER, "attach", folder, 2, ROUNDS="20")
    epochs = [one["epoch"] for racer in said for one in racer]
    assert sorted(epochs) == list(range(1, 41))
    rows = db(folder).execute("SELECT pk, kind, data FROM events ORDER BY pk").fetchall()
    newest = 0
    for _, kind, data in rows:
        epoch = json.loads(data)["epoch"]
        if kind == "attached":
            assert epoch == newest + 1
            newest = epoch
        elif kind == "won":
            assert epoch == newest, "an older attachment has written"


def test_of_many_equal_launches_one_makes_the_run(folder: Path) -> None:
    """O4, O5, P-C12: the others adopt it."""
    said = races.race(RACER, "launch", folder, 4)
    hows = Counter(one["how"] for racer in said for one in racer)
    assert hows == {"reserved": 1, "adopted": 3}
    assert db(folder).execute("SELECT count(*) FROM runs").fetchone() == (1,)


def test_no_lock_reaches_a_caller(folder: Path) -> None:
    """P-E1, P-E2, D1: several processes write as fast as they can."""
    said = races.race(RACER, "write", folder, 4, ROUNDS="50")
    assert len(said) == 4
    kinds = db(folder).execute("SELECT count(*) FROM events WHERE kind = 'write'").fetchone()
    assert kinds == (200,)


def _live_until_ended(folder: Path, kills: int, seed: int) -> None:
    """Kill the session's process at random moments, and let the last one come to the end."""
    chance = random.Random(seed)
    for number in range(kills + 1):
        env = {"START": "1"}
        one = races.process(RACER, "live", folder, "a", number, **env)
        assert one.stdout is not None
        if number < kills:
            one.stdout.readline()  # it is attached
            try:
                one.wait(chance.uniform(0, 0.6))
            except subprocess.TimeoutExpired:
                one.send_signal(signal.SIGKILL)
        _, err = one.communicate()
        assert one.returncode in (0, -signal.SIGKILL), err
    lines = [json.loads(line) for line in (folder / "a.transcript").read_text().splitlines()]
    said = Counter(line["id"] for line in lines)
    assert set(said.values()) == {1}, said
    states = db(folder).execute("SELECT state FROM runs").fetchall()
    assert states == [("completed",)]
    done = db(folder).execute(
        "SELECT node, visit, count(*) FROM attempts WHERE state = 'ok' GROUP BY node, visit"
    )
    assert all(count == 1 for _, _, count in done)


def test_real_kills_lose_nothing_and_say_nothing_twice(folder: Path) -> None:
    """D2, T2, P-B1, P-C9: kill -9 at random moments, with real workers."""
    _live_until_ended(folder, kills=4, seed=1)


@pytest.mark.crash
@pytest.mark.parametrize("seed", range(20))
def test_many_real_kills(folder: Path, seed: int) -> None:
    """D2, T2: the same for longer."""
    _live_until_ended(folder, kills=15, seed=seed)


def test_a_killed_process_is_proved_gone(folder: Path) -> None:
    """D3, D8, P-C9: the next look says `owner_gone`; the next attachment goes on."""
    one = races.process(RACER, "live", folder, "a", 0, START="1")
    assert one.stdout is not None
    one.stdout.readline()
    one.kill()
    one.communicate()
    with Service(folder / "project", database(folder)) as service:
        with service.store.read() as reading:
            row = reading.execute(
                "SELECT boot_id, pid_ns, pid, started FROM attachments"
            ).fetchone()
        assert process.is_gone(process.ProcessIdentity(*row)) is True
        for run in service.latest_runs():
            summary = service.report(run.id).status
            assert summary.word == "waiting" or run.ended_at
            assert summary.reason == "owner_gone" or run.ended_at
