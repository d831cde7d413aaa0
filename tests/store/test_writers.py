"""Many processes on one database: nobody is told that it is locked (P-E1, P-E2)."""

from __future__ import annotations

import multiprocessing
import sqlite3
from typing import TYPE_CHECKING, Any

from segue.session.clock import SystemClock
from segue.session.ownership import SessionKey
from segue.session.store.store import Store
from tests.store.kit import attach, launch, reason

if TYPE_CHECKING:
    from pathlib import Path

PROCESSES, WRITES = 8, 60


def _write(path: Path, number: int, gate: Any, said: Any) -> None:
    try:
        from segue.session.store.runs import prepare_or_adopt

        gate.wait()  # all open at once, and the first of them makes the database
        store = Store(path, SystemClock())
        key = SessionKey("test", str(number))
        authority = attach(store, key)
        run = prepare_or_adopt(
            store, "me", launch(run_id=f"run-{number}", origin=key), authority
        ).run
        for write in range(WRITES):
            with store.write("me", run, authority) as tx:
                reason(f"{number}/{write}" + "x" * 5000)(tx)
                tx.value(f"{number}/{write}" * 1000)
            assert tx.run is not None
            run = tx.run
            if write % 20 == 19:  # close and open in the middle: the last one out checkpoints
                store.close()
                store = Store(path, SystemClock())
        store.close()
        said.put("")
    except BaseException as error:
        said.put(repr(error))


def test_p_e1_eight_processes_write_at_once_and_no_error_reaches_a_caller(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    path = tmp_path / "state.sqlite3"
    gate, said = context.Barrier(PROCESSES), context.SimpleQueue()
    writers = [
        context.Process(target=_write, args=(path, number, gate, said))
        for number in range(PROCESSES)
    ]
    for writer in writers:
        writer.start()
    errors = [said.get() for _ in writers]
    for writer in writers:
        writer.join()
    assert errors == [""] * PROCESSES
    db = sqlite3.connect(path)
    assert db.execute("SELECT count(*) FROM events WHERE kind = 'parked'").fetchone() == (
        PROCESSES * WRITES,
    )
    assert db.execute(
        "SELECT count(*) FROM (SELECT run FROM events WHERE run IS NOT NULL GROUP BY run"
        " HAVING count(*) = max(revision) AND min(revision) = 1)"
    ).fetchone() == (PROCESSES,)
    assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    db.close()
