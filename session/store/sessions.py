"""Sessions of a project: where each came from, and what is taken off its screen."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..ownership import SessionKey

if TYPE_CHECKING:
    import sqlite3

    from .tx import Tx


class SessionRow(NamedTuple):
    """One session of the project."""

    pk: int
    key: SessionKey
    created_at: int
    cleared: int | None


def get(db: sqlite3.Connection, key: SessionKey) -> SessionRow | None:
    row = db.execute(
        "SELECT pk, host, id, created_at, cleared FROM sessions WHERE host = ? AND id = ?",
        (key.host, key.id),
    ).fetchone()
    return None if row is None else SessionRow(row[0], SessionKey(row[1], row[2]), row[3], row[4])


def latest(db: sqlite3.Connection, limit: int = 50, without: str = "") -> list[SessionRow]:
    """Give the sessions that were attached last, newest first; those of one host left out."""
    rows = db.execute(
        "SELECT s.pk, s.host, s.id, s.created_at, s.cleared FROM sessions s"
        " LEFT JOIN attachments a ON a.session = s.pk WHERE s.host <> ?"
        " ORDER BY coalesce(a.attached_at, s.created_at) DESC, s.pk DESC LIMIT ?",
        (without, limit),
    )
    return [_row(row) for row in rows]


def _row(row: tuple[int, str, str, int, int | None]) -> SessionRow:
    return SessionRow(row[0], SessionKey(row[1], row[2]), row[3], row[4])


def successors(db: sqlite3.Connection, key: SessionKey) -> list[tuple[SessionRow, str]]:
    """Give the sessions that were forked from a session or took its place, and which of both."""
    rows = db.execute(
        "SELECT s.pk, s.host, s.id, s.created_at, s.cleared, l.kind FROM lineage l"
        " JOIN sessions s ON s.pk = l.session WHERE l.kind IN ('forked', 'cleared')"
        " AND s.host = ? AND l.other IN (?, ?) ORDER BY l.pk",
        (key.host, key.id, str(key)),
    )
    return [(_row(row[:5]), row[5]) for row in rows]


def parents(db: sqlite3.Connection, row: SessionRow) -> list[SessionRow]:
    """Give the sessions that a session was forked from or took the place of."""
    rows = db.execute(
        "SELECT DISTINCT p.pk, p.host, p.id, p.created_at, p.cleared FROM lineage l"
        " JOIN sessions p ON p.host = ? AND l.other IN (p.id, p.host || ':' || p.id)"
        " WHERE l.session = ? AND l.kind IN ('forked', 'cleared')",
        (row.key.host, row.pk),
    )
    return [_row(parent) for parent in rows]


def clear(tx: Tx, session: int, run: int) -> None:
    """Take an ended run off the screen."""
    tx.db.execute("UPDATE sessions SET cleared = ? WHERE pk = ?", (run, session))


def add_lineage(tx: Tx, session: int, kind: str, other: str) -> None:
    """Note where a session came from, or what happened to its conversation."""
    tx.db.execute(
        "INSERT INTO lineage (session, kind, other, at) VALUES (?, ?, ?, ?)",
        (session, kind, other, tx.now),
    )


def lineage(db: sqlite3.Connection, session: int) -> list[tuple[str, str, int]]:
    """Give kind, other session or event, and time, in order."""
    return db.execute(
        "SELECT kind, other, at FROM lineage WHERE session = ? ORDER BY pk", (session,)
    ).fetchall()
