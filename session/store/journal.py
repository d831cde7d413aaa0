"""The journal: what happened, in order."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from .records import EventRow

if TYPE_CHECKING:
    import sqlite3


def page(db: sqlite3.Connection, run: int, after: int = 0, limit: int = -1) -> list[EventRow]:
    """Give a run's events from the one after revision `after`."""
    rows = db.execute(
        "SELECT revision, kind, actor, data, at FROM events"
        " WHERE run = ? AND revision > ? ORDER BY revision LIMIT ?",
        (run, after, limit),
    )
    return [EventRow(r, k, a, json.loads(d), at) for r, k, a, d, at in rows]
