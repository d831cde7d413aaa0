"""Attempts, effects and updates of a run's steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ..canonical import compact
from ..errors import Conflict
from .records import Attempt

if TYPE_CHECKING:
    import sqlite3

    from .tx import Tx

_COLUMNS: Final = (
    "run, step, node, visit, attempt, state, output, reason, wake_at, active_ms, started_at,"
    " ended_at"
)


def begin(tx: Tx, run: int, step: int, node: str, visit: int, attempt: int) -> Attempt:
    """Enter a node, or try it again."""
    tx.db.execute(
        "INSERT INTO attempts (run, step, node, visit, attempt, state, started_at)"
        " VALUES (?, ?, ?, ?, ?, 'running', ?)",
        (run, step, node, visit, attempt, tx.now),
    )
    return Attempt(run, step, node, visit, attempt, "running", None, None, None, 0, tx.now, None)


def end(
    tx: Tx, attempt: Attempt, state: str, output: str | None, reason: str | None, active_ms: int
) -> None:
    """Write how a try ended.

    Raises:
        Conflict: It is not in the state that the caller knows.
    """
    done = tx.db.execute(
        "UPDATE attempts SET state = ?, output = ?, reason = ?, active_ms = ?, ended_at = ?"
        " WHERE run = ? AND step = ? AND state = ?",
        (
            state,
            None if output is None else tx.value(output),
            reason,
            active_ms,
            tx.now,
            attempt.run,
            attempt.step,
            attempt.state,
        ),
    )
    if done.rowcount != 1:
        raise Conflict(f"step {attempt.step} was ended by another process")


def move(tx: Tx, attempt: Attempt, state: str, wake_at: int | None = None) -> None:
    """Change a try's state while it goes on.

    Raises:
        Conflict: It is not in the state that the caller knows.
    """
    done = tx.db.execute(
        "UPDATE attempts SET state = ?, wake_at = ? WHERE run = ? AND step = ? AND state = ?",
        (state, wake_at, attempt.run, attempt.step, attempt.state),
    )
    if done.rowcount != 1:
        raise Conflict(f"step {attempt.step} was changed by another process")


def used(tx: Tx, attempt: Attempt, active_ms: int) -> None:
    """Keep how much of its own time a try has used so far."""
    tx.db.execute(
        "UPDATE attempts SET active_ms = ? WHERE run = ? AND step = ?",
        (active_ms, attempt.run, attempt.step),
    )


def get(db: sqlite3.Connection, run: int, step: int) -> Attempt | None:
    row = db.execute(
        f"SELECT {_COLUMNS} FROM attempts WHERE run = ? AND step = ?",  # noqa: S608
        (run, step),
    ).fetchone()
    return None if row is None else Attempt(*row)


def page(db: sqlite3.Connection, run: int, after: int = 0, limit: int = -1) -> list[Attempt]:
    """Give the tries of a run in order, from the one after `after`."""
    rows = db.execute(
        f"SELECT {_COLUMNS} FROM attempts WHERE run = ? AND step > ? ORDER BY step LIMIT ?",  # noqa: S608
        (run, after, limit),
    )
    return [Attempt(*row) for row in rows]


def visits(db: sqlite3.Connection, run: int) -> list[tuple[int, str, int, int, str]]:
    """Give step, node, visit, attempt and state of every try, in order: what a runner counts on."""
    return db.execute(
        "SELECT step, node, visit, attempt, state FROM attempts WHERE run = ? ORDER BY step", (run,)
    ).fetchall()


def outputs(db: sqlite3.Connection, run: int, steps: list[int]) -> list[tuple[int, Any]]:
    """Give the outputs of these steps."""
    made: list[tuple[int, Any]] = []
    for at in range(0, len(steps), 500):
        part = steps[at : at + 500]
        marks = ",".join("?" * len(part))
        made += db.execute(
            f"SELECT step, output FROM attempts WHERE run = ? AND step IN ({marks})",  # noqa: S608
            (run, *part),
        ).fetchall()
    return made


def begin_effect(tx: Tx, attempt: Attempt, key: str, recovery: str, process: str) -> None:
    """Note that an effect may happen from now on, and which process group would make it."""
    tx.db.execute(
        "INSERT INTO effects VALUES (?, ?, ?, ?, 'applying', ?, NULL, ?, NULL)",
        (attempt.run, attempt.step, key, recovery, process, tx.now),
    )


def end_effect(tx: Tx, attempt: Attempt, state: str, receipt: Any) -> None:
    """Note what became of the effect of a try."""
    tx.db.execute(
        "UPDATE effects SET state = ?, receipt = ?, ended_at = ? WHERE run = ? AND step = ?"
        " AND state IN ('applying', 'ambiguous')",
        (state, tx.value(compact(receipt)), tx.now, attempt.run, attempt.step),
    )


def effect(db: sqlite3.Connection, run: int, step: int) -> tuple[str, str, str, str] | None:
    """Give key, recovery, state and process of a step's effect."""
    row: tuple[str, str, str, str] | None = db.execute(
        "SELECT key, recovery, state, process FROM effects WHERE run = ? AND step = ?", (run, step)
    ).fetchone()
    return row


def update(tx: Tx, run: int, step: int, key: str, data: str) -> None:
    """Keep the latest update of a key, and the first."""
    tx.db.execute(
        "INSERT INTO updates VALUES (?, ?, ?, ?, ?, 1, ?, ?) ON CONFLICT DO UPDATE SET"
        " latest = excluded.latest, number = number + 1, at = excluded.at",
        (run, step, key, data, tx.value(data), tx.now, tx.now),
    )


def updates(db: sqlite3.Connection, run: int, step: int) -> list[tuple[str, str, Any, int, int]]:
    """Give key, first, latest and both times (milliseconds) of a step's updates."""
    return db.execute(
        "SELECT key, first, latest, first_at, at FROM updates WHERE run = ? AND step = ?",
        (run, step),
    ).fetchall()


def tail(
    db: sqlite3.Connection, run: int, count: int
) -> list[tuple[int, str, int, str, str | None]]:
    """Give step, node, visit, state and reason of the latest tries of a run, in order."""
    return db.execute(
        "SELECT step, node, visit, state, reason FROM attempts WHERE run = ?"
        " ORDER BY step DESC LIMIT ?",
        (run, count),
    ).fetchall()[::-1]


def by_node(db: sqlite3.Connection, run: int) -> dict[str, tuple[int, str]]:
    """Give, for each node entered, how many visits it had and the state of its latest try."""
    # With one max() SQLite takes the other columns from its row; visits only grow.
    rows = db.execute(
        "SELECT node, visit, state, max(step) FROM attempts WHERE run = ? GROUP BY node", (run,)
    )
    return {node: (visits, state) for node, visits, state, _ in rows}


def latest_output(db: sqlite3.Connection, run: int, node: str) -> str | bytes | None:
    """Give the output of a node's latest try, None where that left none."""
    row = db.execute(
        "SELECT output FROM attempts WHERE run = ? AND node = ? ORDER BY step DESC LIMIT 1",
        (run, node),
    ).fetchone()
    return None if row is None else row[0]
