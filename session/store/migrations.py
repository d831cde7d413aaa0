"""Numbered, append-only migrations; each commits together with its own record.

A newer database is refused untouched. An older one is backed up beside itself and migrated,
unless an instance of another version is still attached to it.
"""

from __future__ import annotations

import os
import sqlite3
import time
from importlib import resources
from typing import TYPE_CHECKING, Final

from segue import __version__

from ..errors import StateError
from ..process import ProcessIdentity, is_gone

if TYPE_CHECKING:
    from pathlib import Path

    from ..clock import Clock

APPLICATION_ID: Final = 0x5E60E001
"""Marks the file as a database of Segue."""
MIGRATIONS: Final = ("0001_core.sql", "0002_turns.sql")
LATEST: Final = len(MIGRATIONS)
PAGE_BYTES: Final = 1024
"""Of a new database. A step dirties four pages, and a commit writes each one whole."""


def verify(db: sqlite3.Connection, path: Path) -> int:
    """Give the schema version of a database that this Segue can use, 0 for an empty one.

    Raises:
        StateError: It belongs to another program or to a newer Segue.
    """
    version: int = db.execute("PRAGMA user_version").fetchone()[0]
    application: int = db.execute("PRAGMA application_id").fetchone()[0]
    tables: int = db.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
    if application == 0 and version == 0 and tables == 0:
        return 0
    if application != APPLICATION_ID:
        raise StateError(f"{path}: this is no database of Segue; use --state DIR for another place")
    if version > LATEST:
        raise StateError(
            f"{path}: written by a newer Segue (schema {version}, this one reads {LATEST});"
            " upgrade Segue: pip install --upgrade segue"
        )
    return version


def migrate(db: sqlite3.Connection, path: Path, clock: Clock) -> None:
    """Bring a database to this version's schema.

    Raises:
        StateError: As `verify`, or where an instance of another version is attached.
    """
    found = verify(db, path)
    if found == LATEST:
        return
    if not found:
        db.execute(f"PRAGMA page_size = {PAGE_BYTES}")  # heeded only before the first page
    _wal(db)
    while True:
        _begin(db)
        try:
            version = verify(db, path)
            if version == LATEST:  # another process was quicker
                db.execute("ROLLBACK")
                return
            if version:
                _refuse_while_attached(db, path)
                if version == found:  # not between two migrations of ours
                    _backup(path, version)
            # A new database is whole at once; an older one goes step by step.
            for number in range(version + 1, LATEST + 1 if version == 0 else version + 2):
                _apply(db, number, clock)
            db.execute("COMMIT")
        except BaseException:
            if db.in_transaction:
                db.execute("ROLLBACK")
            raise


def _wal(db: sqlite3.Connection) -> None:
    """Turn on WAL; two first openers may meet here, and the mode change does not wait."""
    for _ in range(200):
        try:
            mode = db.execute("PRAGMA journal_mode = WAL").fetchone()[0]
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                raise
        else:
            if mode == "wal":
                return
        time.sleep(0.02)
    raise StateError("the database cannot be put into WAL mode: is it on a network file system?")


def _begin(db: sqlite3.Connection) -> None:
    for _ in range(6):
        try:
            db.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                raise
        else:
            return
    raise StateError("another program has held the database for 30 s; end it and try again")


def _apply(db: sqlite3.Connection, number: int, clock: Clock) -> None:
    name = MIGRATIONS[number - 1]
    if number == 1:
        db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        db.execute(
            "CREATE TABLE migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL,"
            " segue TEXT NOT NULL, at INTEGER NOT NULL) STRICT"
        )
    text = resources.files(__package__).joinpath("schema", name).read_text("utf-8")
    for statement in statements(text):
        db.execute(statement)
    db.execute(
        "INSERT INTO migrations VALUES (?, ?, ?, ?)", (number, name, __version__, clock.now())
    )
    db.execute(f"PRAGMA user_version = {number}")


def statements(text: str) -> list[str]:
    """Split a migration; `executescript` would commit in the middle of our transaction."""
    made: list[str] = []
    part = ""
    for line in text.splitlines(keepends=True):
        part += line
        if sqlite3.complete_statement(part):
            made.append(part)
            part = ""
    if part.strip() and not all(line.startswith("--") for line in part.strip().splitlines()):
        raise ValueError(f"a migration ends in the middle of a statement: {part[:80]!r}")
    return made


def _refuse_while_attached(db: sqlite3.Connection, path: Path) -> None:
    rows = db.execute(
        "SELECT s.host, s.id, a.segue, a.boot_id, a.pid_ns, a.pid, a.started"
        " FROM attachments a JOIN sessions s ON s.pk = a.session"
        " WHERE a.detached_at IS NULL AND a.segue <> ?",
        (__version__,),
    ).fetchall()
    for host, session, version, *identity in rows:
        if is_gone(ProcessIdentity(*identity)) is not True:  # one that crashed holds up nobody
            raise StateError(
                f"{path}: session {host}:{session} is attached by Segue {version}"
                f" (process {identity[2]}); close it, then try again"
            )


def _backup(path: Path, version: int) -> None:
    """Copy what is committed, while our own lock keeps every other writer out."""
    copy = path.with_name(f"{path.name}.v{version}.bak")
    partial = path.with_name(f"{copy.name}.{os.getpid()}")
    partial.touch(0o600)
    try:
        source = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
        target = sqlite3.connect(partial)
        try:
            source.backup(target)
            target.execute("PRAGMA journal_mode = DELETE")
        finally:
            target.close()
            source.close()
        partial.replace(copy)
    finally:
        partial.unlink(missing_ok=True)
