"""Messages: one ordered table of what has to be said in a session (T1-T3, T6)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from ..errors import Conflict

if TYPE_CHECKING:
    import sqlite3

    from .tx import Tx

_COLUMNS: Final = (
    "pk, id, session, run, step, request, kind, cause, state, text, door, call, offers, turn,"
    " created_at, offered_at, seen_at"
)


class Message(NamedTuple):
    """Something durable to be said in one session."""

    pk: int
    id: str
    session: int
    run: int | None
    step: int | None
    request: int | None
    kind: str
    cause: str
    state: str
    text: str | bytes
    door: str | None
    call: str | None
    offers: int
    turn: str | None
    created_at: int
    offered_at: int | None
    seen_at: int | None

    @property
    def is_intent(self) -> bool:
        """Whether it has to start a model turn; a notice never does."""
        return self.kind != "notice"


def add(
    tx: Tx,
    message_id: str,
    session: int,
    kind: str,
    cause: str,
    text: str,
    *,
    run: int | None = None,
    step: int | None = None,
    request: int | None = None,
) -> bool:
    """Add a message; False where the same source event has made it already (T1)."""
    done = tx.db.execute(
        "INSERT INTO messages (id, session, run, step, request, kind, cause, state, text,"
        " created_at) VALUES (?, ?, ?, ?, ?, ?, ?, 'pending', ?, ?) ON CONFLICT DO NOTHING",
        (message_id, session, run, step, request, kind, cause, tx.value(text), tx.now),
    )
    return done.rowcount == 1


def supersede(tx: Tx, session: int, by: str = "") -> None:
    """Withdraw every intent of a session that is still to be offered: a better one comes (T3)."""
    tx.db.execute(
        "UPDATE messages SET state = 'cancelled' WHERE session = ? AND state = 'pending'"
        " AND kind <> 'notice' AND id <> ?",
        (session, by),
    )


def withdraw(tx: Tx, run: int, step: int, kinds: tuple[str, ...] = ()) -> None:
    """Withdraw what a step still had to say: it was answered, or has ended."""
    marks = ",".join("?" * len(kinds))
    only = f" AND kind IN ({marks})" if kinds else " AND kind <> 'notice'"
    tx.db.execute(
        f"UPDATE messages SET state = 'cancelled' WHERE run = ? AND step = ? AND state = 'pending'{only}",  # noqa: S608, E501
        (run, step, *kinds),
    )


def move(tx: Tx, message: Message, state: str) -> None:
    """Change a message's state by compare-and-swap.

    Raises:
        Conflict: It is not in the state that the caller knows.
    """
    done = tx.db.execute(
        "UPDATE messages SET state = ?, seen_at = CASE WHEN ? = 'seen' THEN ? ELSE seen_at END"
        " WHERE pk = ? AND state = ?",
        (state, state, tx.now, message.pk, message.state),
    )
    if done.rowcount != 1:
        raise Conflict(f"message {message.id} was moved by another process")


def offer(tx: Tx, message: Message, door: str, call: str) -> None:
    """Give the message to one door; nobody else can have it then.

    Raises:
        Conflict: Another door has it.
    """
    done = tx.db.execute(
        "UPDATE messages SET state = 'offered', door = ?, call = ?, offers = offers + 1,"
        " offered_at = ? WHERE pk = ? AND state = 'pending'",
        (door, call, tx.now, message.pk),
    )
    if done.rowcount != 1:
        raise Conflict(f"message {message.id} was offered by another process")


def turn(tx: Tx, message: Message, outcome: str) -> None:
    """Note what became of the turn that a message started; its delivery is another fact (T8)."""
    tx.db.execute("UPDATE messages SET turn = ? WHERE pk = ?", (outcome, message.pk))


def get(db: sqlite3.Connection, message_id: str) -> Message | None:
    row = db.execute(
        f"SELECT {_COLUMNS} FROM messages WHERE id = ?",  # noqa: S608
        (message_id,),
    ).fetchone()
    return None if row is None else Message(*row)


def open_(db: sqlite3.Connection, session: int) -> list[Message]:
    """Give what is pending or offered in a session, in order."""
    rows = db.execute(
        f"SELECT {_COLUMNS} FROM messages WHERE session = ?"  # noqa: S608
        " AND state IN ('pending', 'offered') ORDER BY pk",
        (session,),
    )
    return [Message(*row) for row in rows]


def heard_last(db: sqlite3.Connection, session: int) -> Message | None:
    """Give the turn intent that came into a conversation last."""
    row = db.execute(
        f"SELECT {_COLUMNS} FROM messages WHERE session = ? AND state = 'seen'"  # noqa: S608
        " AND kind <> 'notice' ORDER BY pk DESC LIMIT 1",
        (session,),
    ).fetchone()
    return None if row is None else Message(*row)


def of_step(db: sqlite3.Connection, run: int, step: int) -> list[Message]:
    """Give every message of a step, in order."""
    rows = db.execute(
        f"SELECT {_COLUMNS} FROM messages WHERE run = ? AND step = ? ORDER BY pk",  # noqa: S608
        (run, step),
    )
    return [Message(*row) for row in rows]


def of_session(db: sqlite3.Connection, session: int) -> list[Message]:
    """Give every message of a session, in order: for tests and for `segue show`."""
    rows = db.execute(
        f"SELECT {_COLUMNS} FROM messages WHERE session = ? ORDER BY pk",  # noqa: S608
        (session,),
    )
    return [Message(*row) for row in rows]
