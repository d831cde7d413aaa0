"""The one recipe for every write (D1), and what a caller is told when the disk says no."""

from __future__ import annotations

import json
import os
import sqlite3
import stat
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest

from segue.session.errors import Conflict, Fenced, StateError
from segue.session.store import journal, migrations, runs, store
from segue.session.store.store import Store
from segue.session.store.values import json_of, text_of
from tests.kit import FakeClock, rows
from tests.store.kit import attach, claimed, reason

if TYPE_CHECKING:
    from collections.abc import Iterator

_NOBODY = 65_534


@pytest.fixture
def state(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "state.sqlite3", FakeClock()) as made:
        yield made


# --- D1


def test_d1_a_write_is_its_rows_and_one_event_with_the_next_revision(state: Store) -> None:
    run, authority = claimed(state)
    with state.write("me", run, authority) as tx:
        reason("why")(tx)
    assert tx.run is not None
    assert (tx.run.revision, tx.run.reason) == (run.revision + 1, "why")
    with state.read() as db:
        assert runs.by_pk(db, run.pk) == tx.run
        last = journal.page(db, run.pk)[-1]
    said = (last.revision, last.kind, last.actor, last.data)
    assert said == (2, "parked", "me", {"reason": "why"})


def test_d1_a_write_without_an_event_or_with_two_leaves_nothing(state: Store) -> None:
    run, authority = claimed(state)
    before = rows(state.db)
    with (
        pytest.raises(RuntimeError, match="without an event"),
        state.write("me", run, authority) as tx,
    ):
        tx.change(reason="why")
    with (  # noqa: PT012 - a write has several statements
        pytest.raises(RuntimeError, match="second event"),
        state.write("me", run, authority) as tx,
    ):
        reason("why")(tx)
        tx.event("again")
    assert rows(state.db) == before


def test_d1_whatever_the_body_raises_leaves_nothing(state: Store) -> None:
    run, authority = claimed(state)
    before = rows(state.db)
    with pytest.raises(KeyboardInterrupt), state.write("me", run, authority) as tx:  # noqa: PT012 - the body is what raises
        reason("x" * 10_000)(tx)
        tx.value("y" * 10_000)
        raise KeyboardInterrupt
    assert rows(state.db) == before
    with state.write("me", run, authority) as tx:
        reason("the store goes on")(tx)


def test_d1_a_run_that_was_changed_meanwhile_is_a_conflict_and_nothing_is_written(
    state: Store,
) -> None:
    run, authority = claimed(state)
    with state.write("me", run, authority) as tx:
        reason("first")(tx)
    before = rows(state.db)
    with (
        pytest.raises(Conflict, match="changed by another process"),
        state.write("me", run, authority) as tx,
    ):
        reason("second")(tx)
    assert rows(state.db) == before


def test_o7_the_write_of_an_older_attachment_is_refused(state: Store) -> None:
    run, authority = claimed(state)
    attach(state)
    before = rows(state.db)
    with pytest.raises(Fenced, match="taken over"), state.write("me", run, authority) as tx:
        reason("late")(tx)
    assert rows(state.db) == before


def test_s2_an_epoch_without_its_token_is_no_right_and_only_the_hash_is_kept(
    state: Store,
) -> None:
    run, authority = claimed(state)
    for wrong in (authority._replace(epoch=9), authority._replace(token=b"x" * 32)):
        with pytest.raises(Fenced), state.write("me", run, wrong) as tx:
            reason("no")(tx)
    stored = state.db.execute("SELECT token FROM attachments").fetchone()[0]
    assert stored != authority.token
    assert stored == authority.token_hash


def test_d1_a_schema_that_moved_stops_every_write_and_names_what_to_restart(state: Store) -> None:
    run, authority = claimed(state)
    state.db.execute(f"PRAGMA user_version = {migrations.LATEST + 1}")
    with (
        pytest.raises(StateError, match="restart this program"),
        state.write("me", run, authority) as tx,
    ):
        reason("old")(tx)


def test_the_events_of_a_run_are_numbered_without_a_gap(state: Store) -> None:
    run, authority = claimed(state)
    for number in range(5):
        with state.write("me", run, authority) as tx:
            reason(str(number))(tx)
        assert tx.run is not None
        run = tx.run
    with state.read() as db:
        assert [event.revision for event in journal.page(db, run.pk)] == [1, 2, 3, 4, 5, 6]
        assert [event.revision for event in journal.page(db, run.pk, after=4)] == [5, 6]


# --- values


def test_values_over_four_kib_are_kept_once_by_their_digest(state: Store) -> None:
    run, authority = claimed(state)
    long = json.dumps("é" * 5000, ensure_ascii=False)
    kept = []
    for _ in range(2):
        with state.write("me", run, authority) as tx:
            kept.append(tx.value(long))
            assert tx.value("s" * 4096) == "s" * 4096
            reason("r")(tx)
        assert tx.run is not None
        run = tx.run
    assert kept[0] == kept[1]
    assert isinstance(kept[0], bytes)
    with state.read() as db:
        assert (
            db.execute("SELECT count(*) FROM blobs WHERE digest = ?", kept[:1]).fetchone()[0] == 1
        )
        assert text_of(db, kept[0]) == long
        assert json_of(db, kept[0]) == "é" * 5000
        assert json_of(db, None) is None


def test_text_that_sqlite_cannot_hold_is_kept_all_the_same(state: Store) -> None:
    run, authority = claimed(state)
    with state.write("me", run, authority) as tx:
        kept = tx.value("half \ud800 a pair")
        reason("r")(tx)
    with state.read() as db:
        assert text_of(db, kept) == "half \ud800 a pair"


def test_a_missing_blob_is_told_and_not_guessed(state: Store) -> None:
    with state.read() as db, pytest.raises(StateError, match="segue state backup"):
        text_of(db, b"\0" * 32)


# --- files


def test_s2_the_database_is_readable_by_its_owner_only(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        with Store(tmp_path / "state.sqlite3", FakeClock()) as made:
            attach(made)
            modes = {p.name: stat.S_IMODE(p.stat().st_mode) for p in tmp_path.iterdir()}
    finally:
        os.umask(old)
    assert set(modes.values()) == {0o600}, modes


def test_it_is_wal_and_every_commit_is_synced(state: Store) -> None:
    assert state.db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert state.db.execute("PRAGMA synchronous").fetchone() == (2,)
    assert state.db.execute("PRAGMA foreign_keys").fetchone() == (1,)


def test_every_table_is_strict(state: Store) -> None:
    tables = state.db.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'table'")
    assert [name for name, sql in tables if "STRICT" not in sql] == []


@pytest.mark.parametrize("name", ["with space", "ümläut-日本", "q?uery#frag%41", "x" * 200])
def test_paths_of_every_kind_work(tmp_path: Path, name: str) -> None:
    folder = tmp_path / name / name if len(name) > 100 else tmp_path / name
    folder.mkdir(parents=True)
    assert len(str(folder)) > 300 or len(name) < 100
    with Store(folder / "state.sqlite3", FakeClock()) as made:
        attach(made)
    assert sorted(p.name for p in folder.iterdir()) == ["state.sqlite3"]


def test_a_link_to_the_state_folder_is_the_same_database(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with (
        Store(tmp_path / "real" / "s.sqlite3", FakeClock()) as one,
        Store(tmp_path / "link" / "s.sqlite3", FakeClock()) as other,
    ):
        attach(one)
        assert attach(other).epoch == 2


def test_another_process_s_commit_is_noticed_and_our_own_is_not(tmp_path: Path) -> None:
    with Store(tmp_path / "s", FakeClock()) as one, Store(tmp_path / "s", FakeClock()) as other:
        before = one.data_version()
        attach(one)
        assert one.data_version() == before
        attach(other)
        assert one.data_version() != before


# --- what the disk says


def test_another_program_s_file_is_refused_untouched(tmp_path: Path) -> None:
    path = tmp_path / "state.sqlite3"
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE theirs (x)")
    other.commit()
    other.close()
    before = path.read_bytes()
    with pytest.raises(StateError, match=r"state\.sqlite3: this is no database of Segue.*--state"):
        Store(path, FakeClock())
    assert path.read_bytes() == before


@pytest.mark.parametrize("content", [b"not a database at all, but long enough" * 50, b"short"])
def test_a_file_that_is_no_database_is_refused_untouched(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "state.sqlite3"
    path.write_bytes(content)
    with pytest.raises(StateError, match=r"state\.sqlite3: is damaged or is no database of Segue"):
        Store(path, FakeClock())
    assert path.read_bytes() == content


def test_damage_in_the_middle_is_told_when_it_is_met(tmp_path: Path) -> None:
    path = tmp_path / "state.sqlite3"
    with Store(path, FakeClock()) as made:
        claimed(made)
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xa5" * (len(data) - 4096)
    path.write_bytes(data)
    with (
        pytest.raises(StateError, match="damaged"),
        Store(path, FakeClock()) as made,
        made.read() as db,
    ):
        runs.latest(db, 20)


def test_a_full_disk_is_one_line_and_nothing_is_written(state: Store) -> None:
    run, authority = claimed(state)
    before = rows(state.db)
    pages = state.db.execute("PRAGMA page_count").fetchone()[0]
    state.db.execute(f"PRAGMA max_page_count = {pages}")
    with (  # noqa: PT012 - a write has several statements
        pytest.raises(StateError, match="the disk is full; nothing was written"),
        state.write("me", run, authority) as tx,
    ):
        tx.value("x" * 1_000_000)
        reason("r")(tx)
    assert rows(state.db) == before
    state.db.execute("PRAGMA max_page_count = 1000000")
    with state.write("me", run, authority) as tx:
        reason("room again")(tx)


_FULL = """
import resource, signal, sys
from pathlib import Path
from segue.session.clock import SystemClock
from segue.session.errors import StateError
from segue.session.store.store import Store
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))
try:
    Store(Path(sys.argv[1]), SystemClock())
except StateError as error:
    print(error)
"""


def test_a_disk_that_is_full_from_the_start_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "state.sqlite3"
    said = subprocess.run(
        [sys.executable, "-c", _FULL, str(path)], capture_output=True, text=True, check=True
    )
    assert said.stderr == ""
    assert said.stdout.count("\n") == 1
    assert "disk" in said.stdout
    with Store(path, FakeClock()) as made:  # and once there is room, it just works
        attach(made)


@contextmanager
def as_somebody(folder: Path) -> Iterator[None]:
    """Root may write everywhere: as root, be nobody for a moment, the owner of the folder."""
    if os.geteuid() != 0:
        yield
        return
    for path in (folder, *folder.iterdir()):
        os.chown(path, _NOBODY, _NOBODY)
    os.seteuid(_NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


def test_a_file_that_cannot_be_written_says_so() -> None:
    with TemporaryDirectory() as name:  # pytest's own folders let nobody else in
        path = Path(name) / "state.sqlite3"
        Store(path, FakeClock()).close()
        path.chmod(0o400)
        with (
            as_somebody(path.parent),
            pytest.raises(StateError, match="check its owner and permissions"),
            Store(path, FakeClock()) as made,
        ):
            attach(made)


def test_a_read_only_connection_reads_and_refuses_to_write(tmp_path: Path) -> None:
    path = tmp_path / "state.sqlite3"
    with Store(path, FakeClock()) as made:
        run, authority = claimed(made)
        with Store(path, FakeClock(), read_only=True) as reader:
            with reader.read() as db:
                assert runs.by_pk(db, run.pk) == run
            with (
                pytest.raises(StateError, match="cannot be written"),
                reader.write("me", run, authority) as tx,
            ):
                reason("no")(tx)


@pytest.mark.parametrize("place", ["folder", "gone/state.sqlite3"])
def test_a_place_where_no_file_can_be_says_so(tmp_path: Path, place: str) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(StateError, match=f"{place}: cannot be written"):
        Store(tmp_path / place, FakeClock())


def test_p_e2_a_database_that_somebody_holds_is_waited_for_and_then_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "_STEP_SECONDS", 0.01)
    monkeypatch.setattr(store, "BUSY_SECONDS", 0.05)
    path = tmp_path / "state.sqlite3"
    with Store(path, FakeClock()) as made:
        run, authority = claimed(made)
        holder = sqlite3.connect(path, isolation_level=None)
        holder.execute("BEGIN IMMEDIATE")
        with (
            pytest.raises(StateError, match=r"another program has held the database.*fuser"),
            made.write("me", run, authority) as tx,
        ):
            reason("r")(tx)
        with made.read() as db:
            assert runs.by_pk(db, run.pk) == run, "readers are not held up"
        holder.execute("ROLLBACK")
        holder.close()
        with made.write("me", run, authority) as tx:
            reason("r")(tx)
