"""Requests: opened, answered once, cancelled; and what was sent that did not fit."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from .. import limits
from ..canonical import compact, digest_text
from ..errors import Conflict
from .records import Request
from .values import text_of

if TYPE_CHECKING:
    import sqlite3

    from .records import Attempt
    from .tx import Tx

_COLUMNS: Final = (
    "pk, id, run, step, kind, state, text, shown, deadline, rejected, answer, receipt, opened_at,"
    " closed_at"
)


def open_(
    tx: Tx, attempt: Attempt, request_id: str, kind: str, text: str, deadline: int | None = None
) -> Request:
    """Ask something. `shown` binds an answer to exactly this text (H2)."""
    shown = digest_text(text)
    value = tx.value(text)
    cursor = tx.db.execute(
        "INSERT INTO requests (id, run, step, kind, state, text, shown, deadline, opened_at)"
        " VALUES (?, ?, ?, ?, 'open', ?, ?, ?, ?)",
        (request_id, attempt.run, attempt.step, kind, value, shown, deadline, tx.now),
    )
    assert cursor.lastrowid is not None
    return Request(
        cursor.lastrowid, request_id, attempt.run, attempt.step, kind, "open", value, shown,
        deadline, 0, None, None, tx.now, None,
    )  # fmt: skip


def answered(tx: Tx, request: Request, answer: bytes, receipt: dict[str, Any]) -> None:
    """Close a request with its answer's digest and what the answerer was told.

    Raises:
        Conflict: It is not open any more.
    """
    done = tx.db.execute(
        "UPDATE requests SET state = 'answered', answer = ?, receipt = ?, closed_at = ?"
        " WHERE pk = ? AND state = 'open'",
        (answer, compact(receipt), tx.now, request.pk),
    )
    if done.rowcount != 1:
        raise Conflict(f"request {request.id} is not open any more")


def cancel_open(tx: Tx, run: int) -> None:
    """Withdraw what a run has asked."""
    tx.db.execute(
        "UPDATE requests SET state = 'cancelled', closed_at = ? WHERE run = ? AND state = 'open'",
        (tx.now, run),
    )


def reject(
    tx: Tx, request: Request, answer: bytes, raw: str, problems: list[dict[str, str]]
) -> int:
    """Keep what did not fit, bounded, and give its number."""
    tx.db.execute("UPDATE requests SET rejected = rejected + 1 WHERE pk = ?", (request.pk,))
    number: int = tx.db.execute(
        "SELECT rejected FROM requests WHERE pk = ?", (request.pk,)
    ).fetchone()[0]
    if number <= limits.REJECTIONS_KEPT:
        tx.db.execute(
            "INSERT INTO rejections VALUES (?, ?, ?, ?, ?, ?)",
            (
                request.pk,
                number,
                answer,
                tx.value(raw[: limits.REJECTED_CHARS]),
                compact(problems),
                tx.now,
            ),
        )
    return number


def seen_before(db: sqlite3.Connection, request: Request, answer: bytes) -> bool:
    """Whether exactly this answer was rejected before."""
    row = db.execute(
        "SELECT 1 FROM rejections WHERE request = ? AND answer = ?", (request.pk, answer)
    ).fetchone()
    return row is not None


def get(db: sqlite3.Connection, request_id: str) -> Request | None:
    row = db.execute(
        f"SELECT {_COLUMNS} FROM requests WHERE id = ?",  # noqa: S608
        (request_id,),
    ).fetchone()
    return None if row is None else Request(*row)


def by_pk(db: sqlite3.Connection, pk: int) -> Request:
    row = db.execute(
        f"SELECT {_COLUMNS} FROM requests WHERE pk = ?",  # noqa: S608
        (pk,),
    ).fetchone()
    return Request(*row)


def open_of(db: sqlite3.Connection, run: int) -> Request | None:
    """Give what a run is asking now."""
    row = db.execute(
        f"SELECT {_COLUMNS} FROM requests WHERE run = ? AND state = 'open'",  # noqa: S608
        (run,),
    ).fetchone()
    return None if row is None else Request(*row)


def of_step(db: sqlite3.Connection, run: int, step: int) -> Request | None:
    """Give the latest request of a step."""
    row = db.execute(
        f"SELECT {_COLUMNS} FROM requests WHERE run = ? AND step = ? ORDER BY pk DESC LIMIT 1",  # noqa: S608
        (run, step),
    ).fetchone()
    return None if row is None else Request(*row)


def rejections(db: sqlite3.Connection, request: Request) -> list[tuple[Any, str]]:
    """Give raw text and problems of the rejected answers of a request."""
    return db.execute(
        "SELECT raw, problems FROM rejections WHERE request = ? ORDER BY number", (request.pk,)
    ).fetchall()


def submissions(db: sqlite3.Connection, run: int) -> list[tuple[str, int]]:
    """Give, for each node of a run that asked, how many answers it has had: good, bad, too late."""
    return db.execute(
        "SELECT a.node, sum(q.rejected + (q.state = 'answered' OR a.state = 'timed_out'))"
        " FROM requests q"
        " JOIN attempts a ON a.run = q.run AND a.step = q.step WHERE q.run = ? GROUP BY a.node",
        (run,),
    ).fetchall()


def give(tx: Tx, request: Request, answer: dict[str, Any]) -> None:
    """Store a person's answer for the attachment to carry out; the first one wins.

    Raises:
        Conflict: Another answer is there, or the request is not open.
    """
    done = tx.db.execute(
        "UPDATE requests SET given = ? WHERE pk = ? AND state = 'open' AND given IS NULL",
        (tx.value(compact(answer)), request.pk),
    )
    if done.rowcount != 1:
        raise Conflict(f"request {request.id} has been answered already")


def given(db: sqlite3.Connection, request: Request) -> dict[str, Any] | None:
    """Give the stored answer that waits to be carried out."""
    row = db.execute("SELECT given FROM requests WHERE pk = ?", (request.pk,)).fetchone()
    if row is None or row[0] is None:
        return None
    made: dict[str, Any] = json.loads(text_of(db, row[0]))
    return made


def forget_given(tx: Tx, request: Request) -> None:
    """Take back a stored answer that did not fit."""
    tx.db.execute("UPDATE requests SET given = NULL WHERE pk = ?", (request.pk,))
