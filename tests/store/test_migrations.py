"""Migrations: newer is refused untouched, older is backed up and brought forward, step by step."""

from __future__ import annotations

import sqlite3
import stat
from importlib import resources
from typing import TYPE_CHECKING

import pytest

from segue.session.errors import StateError
from segue.session.process import ProcessIdentity, current
from segue.session.store import migrations
from segue.session.store.store import Store
from tests.kit import FakeClock, rows
from tests.store.kit import attach, claimed, reason

if TYPE_CHECKING:
    from pathlib import Path

LATEST = migrations.LATEST


@pytest.fixture
def newer(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Let this Segue know two migrations more than it does."""
    real = resources.files("segue.session.store")
    shadow = tmp_path / "shadow" / "schema"
    shadow.mkdir(parents=True)
    for name in migrations.MIGRATIONS:
        (shadow / name).write_text(real.joinpath("schema", name).read_text("utf-8"))
    (shadow / "next.sql").write_text("CREATE TABLE next (x INTEGER) STRICT;\n")
    (shadow / "last.sql").write_text("-- adds\nALTER TABLE next ADD COLUMN y INTEGER;\n")
    monkeypatch.setattr(resources, "files", lambda _: shadow.parent)
    monkeypatch.setattr(migrations, "MIGRATIONS", (*migrations.MIGRATIONS, "next.sql", "last.sql"))
    monkeypatch.setattr(migrations, "LATEST", LATEST + 2)


def version(path: Path) -> int:
    with sqlite3.connect(path) as db:
        found: int = db.execute("PRAGMA user_version").fetchone()[0]
    db.close()
    return found


def test_a_new_database_holds_one_record_for_each_migration(tmp_path: Path) -> None:
    with Store(tmp_path / "s", FakeClock()) as made:
        listed = made.db.execute("SELECT number, name FROM migrations ORDER BY number").fetchall()
        assert listed == list(enumerate(migrations.MIGRATIONS, 1))
        assert made.db.execute("PRAGMA application_id").fetchone()[0] == migrations.APPLICATION_ID
        assert made.db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert made.db.execute("PRAGMA foreign_key_check").fetchall() == []


def test_opening_again_writes_nothing(tmp_path: Path) -> None:
    Store(tmp_path / "s", FakeClock()).close()
    before = (tmp_path / "s").read_bytes()
    Store(tmp_path / "s", FakeClock()).close()
    assert (tmp_path / "s").read_bytes() == before


def test_a_newer_database_is_refused_untouched(tmp_path: Path) -> None:
    path = tmp_path / "s"
    Store(path, FakeClock()).close()
    with sqlite3.connect(path) as db:
        db.execute(f"PRAGMA user_version = {LATEST + 1}")
    db.close()
    before = path.read_bytes()
    told = f"newer Segue .*{LATEST + 1}, this one reads {LATEST}"
    with pytest.raises(StateError, match=told):
        Store(path, FakeClock())
    assert [p.name for p in tmp_path.iterdir()] == ["s"]
    with pytest.raises(StateError, match=told):
        Store(path, FakeClock(), read_only=True)
    assert path.read_bytes() == before


@pytest.mark.usefixtures("newer")
def test_an_older_database_is_backed_up_and_migrated_with_a_record_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "s"
    with monkeypatch.context() as old:
        old.setattr(migrations, "LATEST", LATEST)
        with Store(path, FakeClock()) as made:
            claimed(made)
            kept = rows(made.db)
    with Store(path, FakeClock()) as made:
        listed = made.db.execute("SELECT number, name FROM migrations ORDER BY number").fetchall()
        assert listed[LATEST:] == [(LATEST + 1, "next.sql"), (LATEST + 2, "last.sql")]
        now = rows(made.db)
        assert {name for name in kept if now[name] != kept[name]} == {"migrations"}
    backup = path.with_name(f"s.v{LATEST}.bak")
    assert version(backup) == LATEST
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    with sqlite3.connect(backup) as db:
        assert rows(db) == kept
    db.close()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["s", backup.name, "shadow"]


@pytest.mark.usefixtures("newer")
def test_a_migration_that_fails_leaves_what_was_done_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "s"
    with monkeypatch.context() as old:
        old.setattr(migrations, "LATEST", LATEST)
        Store(path, FakeClock()).close()
    broken = tmp_path / "shadow" / "schema" / "last.sql"
    broken.write_text(
        "CREATE TABLE half (x INTEGER) STRICT;\nCREATE TABLE half (x INTEGER) STRICT;\n"
    )
    with pytest.raises(StateError, match="half already exists"):
        Store(path, FakeClock())
    assert version(path) == LATEST + 1, "the first of the two is committed with its record"
    broken.write_text("CREATE TABLE half (x INTEGER) STRICT;\n")
    Store(path, FakeClock()).close()
    assert version(path) == LATEST + 2


@pytest.mark.usefixtures("newer")
def test_d1_migration_is_refused_while_an_instance_of_another_version_is_attached(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "s"
    with monkeypatch.context() as old:
        old.setattr(migrations, "LATEST", LATEST)
        with Store(path, FakeClock()) as made:
            authority = attach(made)
            made.db.execute("UPDATE attachments SET segue = '0.0.1'")
    with pytest.raises(StateError, match=r"session test:s is attached by Segue 0\.0\.1 .*close it"):
        Store(path, FakeClock())
    assert version(path) == LATEST
    assert not path.with_name(f"s.v{LATEST}.bak").exists()
    with sqlite3.connect(path) as db:
        db.execute("UPDATE attachments SET detached_at = 1 WHERE session = ?", (authority.session,))
    db.close()
    Store(path, FakeClock()).close()
    assert version(path) == LATEST + 2


@pytest.mark.usefixtures("newer")
def test_d3_an_instance_of_another_version_that_is_proved_gone_holds_up_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "s"
    gone: ProcessIdentity = current()._replace(start="1")
    with monkeypatch.context() as old:
        old.setattr(migrations, "LATEST", LATEST)
        with Store(path, FakeClock()) as made:
            attach(made)
            made.db.execute("UPDATE attachments SET segue = '0.0.1', started = ?", (gone.start,))
    Store(path, FakeClock()).close()
    assert version(path) == LATEST + 2


@pytest.mark.usefixtures("newer")
def test_d1_the_older_program_stops_writing_once_another_has_migrated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "s"
    with monkeypatch.context() as old:
        old.setattr(migrations, "LATEST", LATEST)
        made = Store(path, FakeClock())
        run, authority = claimed(made)
    Store(path, FakeClock()).close()
    with (
        pytest.raises(StateError, match="another Segue has migrated the database meanwhile"),
        made.write("me", run, authority) as tx,
    ):
        reason("old")(tx)
    made.close()


def test_statements_are_split_where_they_end_and_nowhere_else() -> None:
    text = "-- a; b\nCREATE TABLE t (\n  x TEXT DEFAULT ';'\n);\n\n-- end\n"
    assert len(migrations.statements(text)) == 1
    with pytest.raises(ValueError, match="middle of a statement"):
        migrations.statements("CREATE TABLE t (x")
