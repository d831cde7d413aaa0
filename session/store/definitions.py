"""Pinned definitions and sources, read back."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING

from ..errors import StateError
from ..workflow.snapshot import Definition, from_json
from .values import text_of

if TYPE_CHECKING:
    import sqlite3

    from .records import Run


def get(db: sqlite3.Connection, digest: bytes) -> Definition:
    """Give the compiled graph that a run pinned.

    Raises:
        StateError: It is missing, or of a format that this Segue does not know.
    """
    row = db.execute("SELECT snapshot FROM definitions WHERE digest = ?", (digest,)).fetchone()
    if row is None:
        raise StateError(f"definition {digest.hex()[:12]} is missing from the database")
    try:
        return _parsed(text_of(db, row[0]))
    except (ValueError, KeyError) as error:
        raise StateError(f"this Segue cannot read the run's definition: {error}") from error


@lru_cache(maxsize=32)
def _parsed(snapshot: str) -> Definition:
    """Read a snapshot once: every view of a run asks for its definition."""
    return from_json(json.loads(snapshot))


def find(db: sqlite3.Connection, digest: bytes) -> Definition | None:
    """Give the graph, None where this Segue cannot read it."""
    try:
        return get(db, digest)
    except StateError:
        return None


def sources(db: sqlite3.Connection, run: Run) -> list[tuple[str, str, str]]:
    """Give module, file and text of every source that a run pinned."""
    listed: list[list[str]] = json.loads(run.sources)
    return [(module, file, text_of(db, bytes.fromhex(digest))) for module, file, digest in listed]
