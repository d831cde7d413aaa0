"""Sessions and who is connected to them: the epoch that fences an older instance (O7)."""

from __future__ import annotations

import json
import secrets
from typing import TYPE_CHECKING, NamedTuple

from segue import __version__

from ..canonical import canonical
from ..errors import Conflict, Fenced
from ..ownership import SessionKey
from ..process import ProcessIdentity
from .records import Authority

if TYPE_CHECKING:
    import sqlite3
    from typing import Any

    from .store import Store
    from .tx import Tx


class Attachment(NamedTuple):
    """The instance that is, or was last, connected to a session."""

    session: int
    key: SessionKey
    epoch: int
    instance: str
    segue: str
    process: ProcessIdentity
    reason: str
    facts: dict[str, Any]
    attached_at: int
    detached_at: int | None


def session_pk(tx: Tx, key: SessionKey) -> int:
    """Give a session's row, made at its first use."""
    tx.db.execute(
        "INSERT INTO sessions (host, id, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
        (key.host, key.id, tx.now),
    )
    pk: int = tx.db.execute(
        "SELECT pk FROM sessions WHERE host = ? AND id = ?", (key.host, key.id)
    ).fetchone()[0]
    return pk


def attach(
    store: Store,
    key: SessionKey,
    *,
    instance: str,
    process: ProcessIdentity,
    reason: str,
    facts: dict[str, Any],
    over: int | None = None,
) -> Authority:
    """Connect an instance to a session; it takes over at once from any older one (O7).

    Raises:
        Conflict: `over` is not the epoch of the one that it was to take over from.
    """
    token = secrets.token_bytes(32)
    with store.write(f"runner@{key}") as tx:
        session = session_pk(tx, key)
        row = tx.db.execute(
            "SELECT epoch FROM attachments WHERE session = ?", (session,)
        ).fetchone()
        if over is not None and over != (0 if row is None else row[0]):
            raise Conflict(f"session {key} has been attached meanwhile: ask again")
        authority = Authority(session, key, 1 if row is None else row[0] + 1, token)
        tx.db.execute(
            "INSERT OR REPLACE INTO attachments VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)",
            (
                session,
                authority.epoch,
                authority.token_hash,
                instance,
                __version__,
                process.boot_id,
                process.pid_ns,
                process.pid,
                str(process.start),
                reason,
                canonical(facts),
                tx.now,
            ),
        )
        tx.event("attached", {"epoch": authority.epoch, "reason": reason}, session=session)
    return authority


def detach(store: Store, authority: Authority) -> None:
    """Disconnect; the runs of the session park where they stand. A later owner stays (O7)."""
    with store.write(f"runner@{authority.key}") as tx:
        tx.db.execute(
            "UPDATE attachments SET detached_at = ? WHERE session = ? AND epoch = ?",
            (tx.now, authority.session, authority.epoch),
        )
        tx.event("detached", {"epoch": authority.epoch}, session=authority.session)


def verify(db: sqlite3.Connection, authority: Authority) -> None:
    """Let the attachment pass.

    Raises:
        Fenced: It is not the session's any more.
    """
    row = db.execute(
        "SELECT epoch, token FROM attachments WHERE session = ?", (authority.session,)
    ).fetchone()
    if row is None or not authority.holds(*row):
        raise Fenced(f"a newer instance of session {authority.key} has taken over")


def get(db: sqlite3.Connection, session: int) -> Attachment | None:
    row = db.execute(
        "SELECT a.session, s.host, s.id, a.epoch, a.instance, a.segue, a.boot_id, a.pid_ns, a.pid,"
        " a.started, a.reason, a.facts, a.attached_at, a.detached_at"
        " FROM attachments a JOIN sessions s ON s.pk = a.session WHERE a.session = ?",
        (session,),
    ).fetchone()
    if row is None:
        return None
    return Attachment(
        session=row[0],
        key=SessionKey(row[1], row[2]),
        epoch=row[3],
        instance=row[4],
        segue=row[5],
        process=ProcessIdentity(row[6], row[7], row[8], row[9]),
        reason=row[10],
        facts=json.loads(row[11]),
        attached_at=row[12],
        detached_at=row[13],
    )
