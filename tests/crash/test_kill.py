"""D2: kill -9 at every commit and at any moment; then the run goes on, and nothing is lost.

After each blow a fresh process goes on to the end, and then: what had been accepted is there
byte for byte, no body of a completed step ran again, each visit was accepted once, the journal
has no gap, effects were recovered as declared, the database is whole, and nobody is left behind.
"""

from __future__ import annotations

import multiprocessing
import os
import random
import select
import shutil
import sqlite3
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from segue.session.process import group_lives
from tests.crash import driver

if TYPE_CHECKING:
    from pathlib import Path

CONTEXT = multiprocessing.get_context("forkserver")
"""Each process of a trial is forked from one that has imported everything and done nothing."""


@pytest.fixture(scope="module", autouse=True)
def _preload() -> None:
    CONTEXT.set_forkserver_preload(["tests.crash.driver"])


@dataclass
class Trial:
    """One rehearsal in a folder of its own, through a blow and on."""

    folder: Path
    forked: bool = False

    def __post_init__(self) -> None:
        file = self.folder / "project" / ".segue" / "workflows" / "crash.py"
        file.parent.mkdir(parents=True)
        file.write_text(driver.WORKFLOW)

    def start(self, nth: int = 0, *, after: bool = False) -> Any:
        process = CONTEXT.Process(
            target=driver.main,
            args=(self.folder, nth),
            kwargs={"after": after, "forked": self.forked},
        )
        process.start()
        return process

    def fail_power(self) -> int:
        """Lose what has not reached the disk; give how many bytes of the log that is."""
        state, lasts = self.folder / "state", int((self.folder / "lasts").read_text())
        (state / "state.sqlite3-shm").unlink()
        log = state / "state.sqlite3-wal"
        lost = log.stat().st_size - lasts
        os.truncate(log, lasts)
        return lost

    @property
    def finished(self) -> bool:
        """Whether a process has come to its end; exit codes get lost between two threads here."""
        return (self.folder / "commits").exists()

    def finish(self, *, power: bool = False) -> int:
        """Go on in a fresh process, and hold what is there against what was.

        With `power` that has failed in between; gives how many bytes of the log it took.
        """
        before, ran = self.accepted(), self.bodies()
        lost = self.fail_power() if power else 0
        self.start().join()
        assert self.finished, "the run went on to its end"
        after, ran_in_all = self.accepted(), self.bodies()
        for visit, output in before.items():
            assert after[visit] == output, f"{visit} was accepted before the kill"
            assert ran_in_all[visit] == ran[visit], f"{visit} was complete and ran again"
        self.check_journal()
        # Killed before it began, it is settled by the person all the same: nobody could know.
        assert ran_in_all[("send", 1)] <= 1, "a manual effect is never repeated"
        assert 1 <= ran_in_all[("build", 1)] <= 2, "an idempotent one is, once"
        self.check_processes()
        shutil.rmtree(self.folder)
        return lost

    def rows(self, sql: str) -> list[Any]:
        path = self.folder / "state" / "state.sqlite3"
        if not path.exists():
            return []
        # Copied with its journal: looking must not mend what the kill has left.
        copy = self.folder / "copy"
        shutil.copytree(path.parent, copy)
        db = sqlite3.connect(copy / path.name)
        try:
            if not db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'attempts'").fetchone():
                return []
            return db.execute(sql).fetchall()
        finally:
            db.close()
            shutil.rmtree(copy)

    def accepted(self) -> dict[tuple[str, int], Any]:
        found = self.rows("SELECT node, visit, output FROM attempts WHERE state = 'ok'")
        assert len({(node, visit) for node, visit, _ in found}) == len(found)
        return {(node, visit): output for node, visit, output in found}

    def bodies(self) -> Counter[tuple[str, int]]:
        """Count how often each body ran; inside the mount, which is fresh each time, by key."""
        file = self.folder / "project" / "bodies"
        made: Counter[tuple[str, int]] = Counter()
        for line in file.read_text().splitlines() if file.exists() else []:
            node, visit, *key = line.split()
            made[(node, int(key[0].partition("#")[2] if key else visit))] += 1
        return made

    def check_journal(self) -> None:
        assert self.rows("PRAGMA integrity_check") == [("ok",)]
        assert self.rows("PRAGMA foreign_key_check") == []
        assert self.rows("SELECT count(*) FROM runs") == [(1,)]
        listed = [r for (r,) in self.rows("SELECT revision FROM events WHERE run = 1 ORDER BY pk")]
        assert listed == list(range(1, len(listed) + 1))
        assert self.rows("SELECT revision FROM runs") == [(len(listed),)]
        assert self.rows("SELECT count(*) FROM requests WHERE state = 'open'") == [(0,)]
        assert self.rows("SELECT count(*) FROM effects WHERE state = 'applying'") == [(0,)]
        walked = self.rows("SELECT node, visit FROM attempts WHERE state = 'ok' ORDER BY step")
        assert walked == WALKED

    def check_processes(self) -> None:
        file = self.folder / "project" / "groups"
        for group in file.read_text().split() if file.exists() else []:
            for _ in range(3000):
                if not group_lives(int(group)):
                    break
                select.select([], [], [], 0.01)
            else:
                raise AssertionError(f"process group {group} was left behind")


WALKED = [
    ("first", 1),
    ("inner", 1),
    ("inner/x", 1),
    ("inner/y", 1),
    ("first", 2),
    ("inner", 2),
    ("inner/x", 2),
    ("inner/y", 2),
    ("nap", 1),
    ("build", 1),
    ("send", 1),
    ("ask", 1),
    ("last", 1),
]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[int, float]:
    """Give how many commits an undisturbed rehearsal makes, and how long it takes."""
    trial = Trial(tmp_path_factory.mktemp("whole"), forked=True)
    began = time.monotonic()
    trial.start().join()
    seconds = time.monotonic() - began
    assert trial.finished
    trial.check_journal()
    assert set(trial.bodies().values()) == {1}
    return int((trial.folder / "commits").read_text()), seconds


def blow_at_commit(folder: Path, nth: int, *, after: bool) -> None:
    trial = Trial(folder, forked=True)
    trial.start(nth, after=after).join()
    assert not trial.finished, "the blow has to come"
    trial.finish()


def power_fails_at_commit(folder: Path, nth: int) -> int:
    """Give how many bytes of the log were lost."""
    trial = Trial(folder, forked=True)
    trial.start(nth, after=True).join()
    return trial.finish(power=True)


def blow_at(folder: Path, seconds: float, *, forked: bool) -> None:
    trial = Trial(folder, forked=forked)
    process = trial.start()
    process.join(seconds)
    process.kill()
    process.join()
    (folder / "commits").unlink(missing_ok=True)
    trial.finish()


def test_d2_a_kill_right_before_or_after_any_commit_loses_and_repeats_nothing(
    tmp_path: Path, whole: tuple[int, float]
) -> None:
    blows = [(nth, after) for nth in range(1, whole[0] + 1) for after in (False, True)]
    with ThreadPoolExecutor(2) as pool:
        for done in [
            pool.submit(blow_at_commit, tmp_path / f"{nth}-{after}", nth, after=after)
            for nth, after in blows
        ]:
            done.result()


def test_d2_a_power_failure_after_any_commit_loses_and_repeats_nothing(
    tmp_path: Path, whole: tuple[int, float]
) -> None:
    """D1: a write that may be taken back is one that nobody has seen anything of."""
    with ThreadPoolExecutor(2) as pool:
        lost = pool.map(
            lambda nth: power_fails_at_commit(tmp_path / str(nth), nth), range(1, whole[0] + 1)
        )
    assert any(lost), "some writes are not lasting by themselves"


def rounds(folder: Path, count: int, seconds: float, *, forked: bool) -> None:
    with ThreadPoolExecutor(2) as pool:
        for done in [
            pool.submit(blow_at, folder / str(n), random.uniform(0, seconds), forked=forked)
            for n in range(count)
        ]:
            done.result()


def test_d2_a_kill_at_any_moment_loses_and_repeats_nothing(
    tmp_path: Path, whole: tuple[int, float]
) -> None:
    rounds(tmp_path, 20, whole[1], forked=True)


@pytest.mark.crash
def test_d2_two_hundred_kills_at_any_moment(tmp_path: Path, whole: tuple[int, float]) -> None:
    rounds(tmp_path, 200, whole[1] + 1, forked=False)  # its workers have to come up first
