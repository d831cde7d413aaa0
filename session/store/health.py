"""Looks a database over, and copies it while it is in use."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..errors import StateError
from .migrations import LATEST
from .refusals import explain

if TYPE_CHECKING:
    from pathlib import Path

    from .store import Store

_LISTED = 20
"""Faults of one kind that are told; a broken file can have millions."""


@dataclass(frozen=True, slots=True)
class Health:
    """What a look over a database has found."""

    schema: int
    runs: int
    blobs: int
    digests: int
    faults: tuple[str, ...]


def examine(store: Store) -> Health:
    """Check the file, its references, its schema, and that every digest has its blob."""
    with store.read() as db:
        schema: int = db.execute("PRAGMA user_version").fetchone()[0]
        faults = [f"integrity: {row[0]}" for row in _some(db, "PRAGMA integrity_check")]
        if faults == ["integrity: ok"]:
            faults = []
        faults += [
            f"foreign key: row {row[1]} of {row[0]} points to nothing in {row[2]}"
            for row in _some(db, "PRAGMA foreign_key_check")
        ]
        if schema != LATEST:
            faults.append(f"schema: version {schema}, this Segue writes {LATEST}")
        held, wrong = _blobs(db)
        used = _digests(db)
        missing = [
            f"blob: {where} names {digest.hex()[:12]}, which is missing"
            for digest, where in used.items()
            if digest not in held
        ]
        faults += wrong[:_LISTED] + missing[:_LISTED]
        runs: int = db.execute("SELECT count(*) FROM runs").fetchone()[0]
    return Health(schema, runs, len(held), len(used), tuple(faults))


def _some(db: sqlite3.Connection, question: str) -> list[tuple[str, ...]]:
    return db.execute(question).fetchmany(_LISTED)


def _blobs(db: sqlite3.Connection) -> tuple[set[bytes], list[str]]:
    """Give every blob's digest, and those whose data is something else by now."""
    held, wrong = set(), []
    for digest, data in db.execute("SELECT digest, data FROM blobs"):
        held.add(digest)
        if hashlib.sha256(data).digest() != digest:
            wrong.append(f"blob: {digest.hex()[:12]} holds other data than it was made of")
    return held, wrong


def _digests(db: sqlite3.Connection) -> dict[bytes, str]:
    """Give each digest that some row names, and one place that does."""
    made: dict[bytes, str] = {}
    for table, column in _any_columns(db):
        # Names from the schema itself, quoted: nothing of a user's is in them.
        listed = db.execute(
            f'SELECT DISTINCT "{column}" FROM "{table}" WHERE typeof("{column}") = \'blob\''  # noqa: S608
        )
        made |= {row[0]: f"{table}.{column}" for row in listed}
    for (sources,) in db.execute("SELECT DISTINCT sources FROM runs"):
        made |= {bytes.fromhex(digest): "runs.sources" for _, _, digest in json.loads(sources)}
    return made


def _any_columns(db: sqlite3.Connection) -> list[tuple[str, str]]:
    return db.execute(
        "SELECT m.name, c.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c"
        " WHERE m.type = 'table' AND c.type = 'ANY'"
    ).fetchall()


def backup(store: Store, target: Path) -> None:
    """Copy the database, whatever others write meanwhile, into a new file of mode 0600.

    Raises:
        StateError: The file exists, or cannot be written.
    """
    try:
        os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        raise StateError(f"{target} exists: name a new file, nothing is overwritten") from None
    except OSError as error:
        raise StateError(f"{target} cannot be written: {error.strerror}") from error
    try:
        with closing(sqlite3.connect(target)) as copy:
            store.db.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")  # one file, to be moved as one
    except sqlite3.Error as error:
        target.unlink(missing_ok=True)
        raise StateError(f"{target}: {explain(error)}") from error
