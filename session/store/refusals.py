"""What SQLite refuses, and what a person does about it."""

from __future__ import annotations

import sqlite3


def code_of(error: sqlite3.Error) -> int:
    """Give the primary result code."""
    code: int = getattr(error, "sqlite_errorcode", 0)
    return code & 0xFF


def explain(error: sqlite3.Error) -> str:
    """Say in one line what is wrong with a database and what to do."""
    match code_of(error):
        case sqlite3.SQLITE_FULL:
            return "the disk is full; nothing was written. Free some space and try again"
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM | sqlite3.SQLITE_CANTOPEN:
            return "cannot be written; check its owner and permissions, or use --state DIR"
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
            return (
                "is damaged or is no database of Segue; move it away, or restore a copy made by"
                " `segue state backup`"
            )
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return "another program holds the database; try again"
        case sqlite3.SQLITE_IOERR:
            return f"the disk did not read or write ({error}); check it, then try again"
        case _:
            return f"the database refused: {error}"
