"""`segue state`: where, why, whether it is sound, and a copy of it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from .conftest import Done


@pytest.fixture
def database(kept: str, tmp_path: Path) -> Path:
    return next((tmp_path / "state").rglob("state.sqlite3"))


def damage(database: Path, *statements: str) -> None:
    with closing(sqlite3.connect(database, isolation_level=None)) as db:
        for statement in statements:
            db.execute(statement)


def test_path_prints_the_folder_and_why(segue: Callable[..., Done], tmp_path: Path) -> None:
    folder, why = segue("state", "path").out.splitlines()
    assert folder.startswith(str(tmp_path / "state" / "projects" / "project-"))
    assert "SEGUE_STATE_DIR" in why
    assert "nothing is kept there yet" in why
    given = segue("state", "path", "--state", str(tmp_path / "other")).out
    assert given.startswith(str(tmp_path / "other"))
    assert "--state" in given


def test_path_tells_of_a_setting_that_is_ignored(
    segue: Callable[..., Done], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S2."""
    monkeypatch.delenv("SEGUE_STATE_DIR")
    monkeypatch.delenv("PYTEST_CURRENT_TEST")  # only a path is asked for: nothing is made
    monkeypatch.setenv("XDG_STATE_HOME", "relative")
    done = segue("state", "path")
    assert done.code == 0
    assert "XDG_STATE_HOME" in done.err
    assert not (tmp_path / "state").exists()


def test_what_is_sound_is_said_to_be(segue: Callable[..., Done], database: Path) -> None:
    done = segue("state", "verify")
    assert done.code == 0
    assert done.out.startswith(f"{database}: ok\n")


def test_a_digest_without_its_blob_is_found(segue: Callable[..., Done], database: Path) -> None:
    damage(database, "DELETE FROM blobs")
    done = segue("state", "verify")
    assert done.code == 1
    assert "runs.sources names" in done.out
    assert "segue state backup" in done.err


def test_a_blob_that_holds_other_data_is_found(segue: Callable[..., Done], database: Path) -> None:
    damage(database, "UPDATE blobs SET data = x'00'")
    done = segue("state", "verify")
    assert done.code == 1
    assert "holds other data" in done.out


def test_a_reference_to_nothing_is_found(segue: Callable[..., Done], database: Path) -> None:
    damage(database, "PRAGMA foreign_keys = OFF", "DELETE FROM sessions")
    done = segue("state", "verify")
    assert done.code == 1
    assert "foreign key: row" in done.out


def test_a_backup_is_one_sound_file_for_its_owner_only(
    segue: Callable[..., Done], database: Path, tmp_path: Path, kept: str
) -> None:
    copy = tmp_path / "copy.sqlite3"
    done = segue("state", "backup", str(copy))
    assert done.out == f"{copy}\n"
    assert copy.stat().st_mode & 0o777 == 0o600
    assert not list(tmp_path.glob("copy.sqlite3-*"))
    with closing(sqlite3.connect(copy)) as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert db.execute("SELECT id FROM runs").fetchall() == [(kept,)]


def test_a_backup_that_is_moved_into_place_is_the_state_again(
    segue: Callable[..., Done], database: Path, tmp_path: Path, kept: str
) -> None:
    copy = tmp_path / "copy.sqlite3"
    assert segue("state", "backup", str(copy)).code == 0
    for file in database.parent.iterdir():
        file.unlink()
    copy.rename(database)
    assert segue("resume", kept, "--answers", "answers.json").code == 0
    assert segue("state", "verify").code == 0


def test_a_backup_overwrites_nothing(
    segue: Callable[..., Done], database: Path, tmp_path: Path
) -> None:
    (tmp_path / "copy").write_text("mine")
    done = segue("state", "backup", str(tmp_path / "copy"))
    assert done.code == 1
    assert "nothing is overwritten" in done.err
    assert (tmp_path / "copy").read_text() == "mine"


def test_without_a_name_the_copy_lies_beside_the_database(
    segue: Callable[..., Done], database: Path
) -> None:
    from pathlib import Path

    copy = Path(segue("state", "backup").out.strip())
    assert copy.parent == database.parent
    assert copy.is_file()


@pytest.mark.parametrize("what", ["verify", "backup"])
def test_there_is_nothing_to_do_where_nothing_was_kept(
    segue: Callable[..., Done], tmp_path: Path, what: str
) -> None:
    done = segue("state", what)
    assert "nothing is kept here yet" in done.out + done.err
    assert not (tmp_path / "state").exists()


def test_a_newer_database_is_refused_untouched(segue: Callable[..., Done], database: Path) -> None:
    damage(database, "PRAGMA user_version = 9999")
    done = segue("state", "verify")
    assert done.code == 1
    assert "written by a newer Segue" in done.err
