"""Reads ANY columns back: text as it is, a digest by way of its blob."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ..errors import StateError

if TYPE_CHECKING:
    import sqlite3

    from ..canonical import Json


def text_of(db: sqlite3.Connection, value: str | bytes) -> str:
    """Give the stored text.

    Raises:
        StateError: The blob is missing: the database was tampered with.
    """
    if isinstance(value, str):
        return value
    row = db.execute("SELECT data FROM blobs WHERE digest = ?", (value,)).fetchone()
    if row is None:
        raise StateError(
            f"blob {value.hex()[:12]} is missing; restore a copy made by `segue state backup`"
        )
    data: bytes = row[0]
    return data.decode("utf-8", "surrogatepass")


def json_of(db: sqlite3.Connection, value: str | bytes | None) -> Json:
    """Give the stored JSON value; null for no value."""
    made: Json = None if value is None else json.loads(text_of(db, value))
    return made
