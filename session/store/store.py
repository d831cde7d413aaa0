"""Opens the project's database, and the one recipe for every write (D1).

The recipe: begin immediate; verify the schema; check the runner's epoch and the run's revision;
change rows; append the event; commit. BUSY is handled here, so that no caller ever sees it.
A `Store` belongs to one thread at a time: its holder keeps a lock.
"""

from __future__ import annotations

import os
import random
import sqlite3
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final

from ..errors import Conflict, Fenced, Moved, StateError
from . import migrations
from .tx import Tx

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ..clock import Clock
    from .records import Authority, Run

BUSY_SECONDS: Final = 30.0
"""How long a write waits for others before it says so. A write of ours takes milliseconds."""
_STEP_SECONDS: Final = 5.0
"""How long SQLite itself waits, reads included: a big checkpoint, a recovery after a crash."""
_BUSY: Final = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


class Store:
    """One connection to one project's database."""

    def __init__(self, path: Path, clock: Clock, *, read_only: bool = False) -> None:
        """Open the database, creating or migrating it first where needed.

        Raises:
            StateError: It is newer, corrupt, locked for long, read-only or on a full disk.
        """
        self.path = path
        self.clock = clock
        self.db = _connect(path, clock, read_only=read_only)
        self._version = migrations.LATEST

    def close(self) -> None:
        with suppress(sqlite3.Error):
            self.db.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def data_version(self) -> int:
        """A number that changes when another process commits (microseconds to ask)."""
        try:
            version: int = self.db.execute("PRAGMA data_version").fetchone()[0]
        except sqlite3.Error as error:
            raise StateError(f"{self.path}: {explain(error)}") from error
        return version

    @contextmanager
    def read(self) -> Iterator[sqlite3.Connection]:
        """One consistent view over several reads."""
        try:
            self.db.execute("BEGIN")
            try:
                yield self.db
            finally:
                if self.db.in_transaction:  # an I/O error has ended it already
                    self.db.execute("COMMIT")
        except sqlite3.IntegrityError:
            raise
        except sqlite3.Error as error:
            raise StateError(f"{self.path}: {explain(error)}") from error

    @contextmanager
    def write(
        self, actor: str, run: Run | None = None, authority: Authority | None = None
    ) -> Iterator[Tx]:
        """One write: everything in the body and its event are committed together, or nothing is.

        Args:
            actor: Who acts, for the event.
            run: The run as the caller knows it; its revision has to be the stored one.
            authority: The attachment on whose right a runner acts.

        Raises:
            Conflict: The run was changed by somebody else; reload and decide again.
            Fenced: A newer attachment of the session took over (O7).
            StateError: The database cannot be written.
        """
        try:
            self._begin()
            try:
                self._verify(run, authority)
                tx = Tx(self.db, self.clock.now(), actor, run)
                yield tx
                tx.finish()
                self.db.execute("COMMIT")
            except BaseException:
                if self.db.in_transaction:
                    self.db.execute("ROLLBACK")
                raise
        except sqlite3.IntegrityError:
            raise  # a rule of ours: the caller knows which
        except sqlite3.Error as error:
            raise StateError(f"{self.path}: {explain(error)}") from error

    def _begin(self) -> None:
        deadline = time.monotonic() + BUSY_SECONDS
        while True:
            try:
                self.db.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError as error:
                if _code(error) not in _BUSY:
                    raise
                if time.monotonic() > deadline:
                    raise StateError(
                        f"{self.path}: another program has held the database for"
                        f" {BUSY_SECONDS:.0f} s; find it with `fuser {self.path}` and end it"
                    ) from error
                # SQLite's own waiting sleeps in fixed steps; a random pause lets the herd part.
                time.sleep(random.uniform(0.001, 0.01))  # noqa: S311 - not a secret
            else:
                return

    def _verify(self, run: Run | None, authority: Authority | None) -> None:
        execute = self.db.execute
        if execute("PRAGMA user_version").fetchone()[0] != self._version:
            raise StateError(
                f"{self.path}: another Segue has migrated the database meanwhile;"
                " restart this program (the editor or agent that runs it)"
            )
        if authority is not None:
            row = execute(
                "SELECT epoch, token FROM attachments WHERE session = ?", (authority.session,)
            ).fetchone()
            if row is None or row[0] != authority.epoch or row[1] != authority.token_hash:
                raise Fenced("a newer instance of this session has taken over")
        if run is not None:
            row = execute("SELECT revision, session FROM runs WHERE pk = ?", (run.pk,)).fetchone()
            if row is not None and authority is not None and row[1] != authority.session:
                raise Moved(f"run {run.id} was rebound to another session")
            if row is None or row[0] != run.revision:
                raise Conflict(f"run {run.id} was changed by another process")


def _code(error: sqlite3.Error) -> int:
    code: int = getattr(error, "sqlite_errorcode", 0)
    return code & 0xFF


def explain(error: sqlite3.Error) -> str:
    """Say in one line what is wrong with a database and what to do."""
    match _code(error):
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


def _create(path: Path) -> None:
    """Make the file before SQLite does it with the umask's mode (S2)."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except FileExistsError:
        pass
    except OSError as error:
        raise StateError(
            f"{path}: cannot be written ({error.strerror}); check its folder, or use --state DIR"
        ) from error


def _connect(path: Path, clock: Clock, *, read_only: bool) -> sqlite3.Connection:
    if not read_only and not path.exists():
        _create(path)
    mode = "ro" if read_only else "rw"
    try:
        uri = f"{path.absolute().as_uri()}?mode={mode}"
        db = sqlite3.connect(
            uri,
            uri=True,
            isolation_level=None,
            timeout=_STEP_SECONDS,
            cached_statements=256,
            check_same_thread=False,
        )
        try:
            db.execute("PRAGMA foreign_keys = ON")
            db.execute("PRAGMA trusted_schema = OFF")
            if read_only:
                migrations.verify(db, path)
            else:
                db.execute("PRAGMA synchronous = FULL")
                migrations.migrate(db, path, clock)
        except BaseException:
            db.close()
            raise
    except sqlite3.Error as error:
        raise StateError(f"{path}: {explain(error)}") from error
    return db
