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
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from ..errors import Conflict, Fenced, Moved, StateError
from . import migrations
from .refusals import code_of, explain
from .tx import Tx

if TYPE_CHECKING:
    from pathlib import Path

    from ..clock import Clock
    from .records import Authority, Run

BUSY_SECONDS: Final = 30.0
"""How long a write waits for others before it says so. A write of ours takes milliseconds."""
_STEP_SECONDS: Final = 5.0
"""How long SQLite itself waits, reads included: a big checkpoint, a recovery after a crash."""
WAL_PAGES: Final = 500
"""How long the log grows before it is written back and used again, in pages: a commit that makes
the file longer takes up to twice as long as one that does not (bench/run.py)."""
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
        self._lasting = True

    def close(self) -> None:
        with suppress(sqlite3.Error):
            self.db.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def data_version(self) -> int:
        """A number that changes when another process commits (microseconds to ask)."""
        with self.single() as db:
            version: int = db.execute("PRAGMA data_version").fetchone()[0]
        return version

    def read(self) -> Read:
        """One consistent view over several reads.

        Raises:
            StateError: The database cannot be read.
        """
        return Read(self, single=False)

    def single(self) -> Read:
        """A view for one statement, which is consistent by itself; raises as `read` does."""
        return Read(self, single=True)

    def write(
        self,
        actor: str,
        run: Run | None = None,
        authority: Authority | None = None,
        *,
        lasting: bool = True,
    ) -> Write:
        """One write: everything in the body and its event are committed together, or nothing is.

        Args:
            actor: Who acts, for the event.
            run: The run as the caller knows it; its revision has to be the stored one.
            authority: The attachment on whose right a runner acts.
            lasting: Whether a power failure may not take it back. Without, it survives every
                death of a process and becomes lasting with the next write that is: for what
                nobody outside can see before that one. Half of what a commit costs is this.

        Raises:
            Conflict: The run was changed by somebody else; reload and decide again.
            Fenced: A newer attachment of the session took over (O7).
            StateError: The database cannot be written.
        """
        return Write(self, actor, run, authority, lasting=lasting)

    def begin(
        self, actor: str, run: Run | None, authority: Authority | None, *, lasting: bool
    ) -> Tx:
        """Open a write: the first half of the recipe; raises as `write` does."""
        try:
            self._sync(lasting=lasting)
            self._begin()
        except sqlite3.Error as error:
            self.say_why(error)
            raise
        try:
            self._verify(run, authority)
            return Tx(self.db, self.clock.now(), actor, run)
        except BaseException as error:
            self.undo(error)
            raise

    def commit(self) -> None:
        """End a write; raises as `write` does."""
        try:
            self.db.execute("COMMIT")
        except BaseException as error:
            self.undo(error)
            raise

    def undo(self, error: BaseException) -> None:
        """Take a write back because of an error; raises as `say_why` does."""
        self.let_go("ROLLBACK")
        self.say_why(error)

    def let_go(self, how: str = "COMMIT") -> None:
        """End what a read or a write has begun; an I/O error may have ended it already."""
        with suppress(sqlite3.Error):
            if self.db.in_transaction:
                self.db.execute(how)

    def say_why(self, error: BaseException) -> None:
        """Say what an error of SQLite means; a broken rule of ours is the caller's to name.

        Raises:
            StateError: In its place.
        """
        if isinstance(error, sqlite3.Error) and not isinstance(error, sqlite3.IntegrityError):
            raise StateError(f"{self.path}: {explain(error)}") from error

    def _sync(self, *, lasting: bool) -> None:
        if lasting is not self._lasting:
            self.db.execute(f"PRAGMA synchronous = {'FULL' if lasting else 'NORMAL'}")
            self._lasting = lasting

    def _begin(self) -> None:
        deadline = time.monotonic() + BUSY_SECONDS
        while True:
            try:
                self.db.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError as error:
                if code_of(error) not in _BUSY:
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
        if run is None and authority is None:
            return
        # One statement for both: it is run in every step's write.
        epoch, token, revision, session = execute(
            "SELECT a.epoch, a.token, r.revision, r.session FROM (SELECT 1)"
            " LEFT JOIN attachments a ON a.session = ? LEFT JOIN runs r ON r.pk = ?",
            (authority and authority.session, run and run.pk),
        ).fetchone()
        if authority is not None and not authority.holds(epoch, token):
            raise Fenced("a newer instance of this session has taken over")
        if run is not None:
            if authority is not None and revision is not None and session != authority.session:
                raise Moved(f"run {run.id} was rebound to another session")
            if revision != run.revision:
                raise Conflict(f"run {run.id} was changed by another process")


class Read:
    """One view of the database, for `with`."""

    def __init__(self, store: Store, *, single: bool) -> None:
        self._store = store
        self._single = single

    def __enter__(self) -> sqlite3.Connection:
        db = self._store.db
        if not self._single:
            try:
                db.execute("BEGIN")
            except sqlite3.Error as error:
                self._store.say_why(error)
                raise
        return db

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if not self._single:
            self._store.let_go()
        if error is not None:
            self._store.say_why(error)


class Write:
    """One write under way, for `with`; a class, since a generator costs a tenth of a step."""

    def __init__(
        self,
        store: Store,
        actor: str,
        run: Run | None,
        authority: Authority | None,
        *,
        lasting: bool,
    ) -> None:
        self._store = store
        self._actor = actor
        self._run = run
        self._authority = authority
        self._lasting = lasting
        self._tx: Tx

    def __enter__(self) -> Tx:
        self._tx = self._store.begin(self._actor, self._run, self._authority, lasting=self._lasting)
        return self._tx

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if error is not None:
            self._store.undo(error)
            return
        try:
            self._tx.finish()
        except BaseException as failed:
            self._store.undo(failed)
            raise
        self._store.commit()


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
                db.execute("PRAGMA fullfsync = ON")  # macOS: through the disk's own cache, too
                db.execute(f"PRAGMA wal_autocheckpoint = {WAL_PAGES}")
                migrations.migrate(db, path, clock)
        except BaseException:
            db.close()
            raise
    except sqlite3.Error as error:
        raise StateError(f"{path}: {explain(error)}") from error
    return db
