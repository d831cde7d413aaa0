"""What the body of one write can do; it changes rows and says what happened, once."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from .. import limits
from ..canonical import Json, clean, compact, digest_text
from ..errors import Conflict

if TYPE_CHECKING:
    import sqlite3

    from .records import Run


@cache
def _update_of(columns: tuple[str, ...]) -> str:
    names = ", ".join(f"{name} = ?" for name in columns)  # our own column names only
    return f"UPDATE runs SET {names} WHERE pk = ? AND revision = ? AND state = ?"  # noqa: S608


class Tx:
    """An open write. `run` is the run after it."""

    def __init__(self, db: sqlite3.Connection, now: int, actor: str, run: Run | None) -> None:
        self.db = db
        self.now = now
        self.actor = actor
        self.before = run
        self.run = run
        self._changes: dict[str, Any] = {}
        self._event: tuple[str, Json] | None = None
        self._session: int | None = None

    def change(self, **columns: Any) -> None:
        """Set columns of the run; they are written once, with the new revision."""
        self._changes.update(columns)

    def event(self, kind: str, data: Json = None, *, session: int | None = None) -> None:
        """Tell what this write does; a write has exactly one event.

        Raises:
            RuntimeError: For a second event.
        """
        if self._event is not None:
            raise RuntimeError(f"a second event in one write: {kind}")
        self._event = (kind, {} if data is None else data)
        self._session = session

    def value(self, text: str) -> str | bytes:
        """Give what to put into an ANY column: the text, or the digest of its blob."""
        if len(text) <= limits.INLINE_CHARS and (text.isascii() or clean(text) == text):
            return text  # SQLite's text has no lone surrogates; a blob may
        key = digest_text(text)
        self.db.execute(
            "INSERT INTO blobs (digest, data) VALUES (?, ?) ON CONFLICT DO NOTHING",
            (key, text.encode("utf-8", "surrogatepass")),
        )
        return key

    def finish(self) -> None:
        """Write the run's new revision and the event."""
        if self._event is None:
            raise RuntimeError("a write without an event")
        kind, data = self._event
        revision = 0
        run_pk = None
        if self.before is not None:
            revision = self._write_run(self.before)
            run_pk = self.before.pk
        self.db.execute(
            "INSERT INTO events (run, session, revision, kind, actor, data, at)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            (run_pk, self._session, revision, kind, self.actor, compact(data), self.now),
        )

    def adopt(self, run: Run) -> None:
        """Make this write one about a run that it has just inserted."""
        self.before = self.run = run

    def _write_run(self, before: Run) -> int:
        revision = before.revision + 1
        # Only what changes: an index whose columns stay as they are is not touched.
        columns = {n: v for n, v in self._changes.items() if getattr(before, n) != v}
        columns |= {"revision": revision, "updated_at": self.now}
        done = self.db.execute(
            _update_of(tuple(columns)),
            (*columns.values(), before.pk, before.revision, before.state),
        )
        if done.rowcount != 1:
            raise Conflict(f"run {before.id} was changed by another process")
        self.run = before.evolve(columns)
        return revision
