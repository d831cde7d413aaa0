"""The type of what reads take, so that other rooms can name it without SQLite."""

from __future__ import annotations

import sqlite3
from typing import TypeAlias

Connection: TypeAlias = sqlite3.Connection
"""One consistent view, given by `Store.read`."""
