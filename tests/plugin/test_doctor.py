"""`segue doctor`: what is in place, what to do, and fixes that are looked at again."""

from __future__ import annotations

import json
from pathlib import Path

from .test_install import segue


def findings(tmp_path: Path, *words: str) -> dict[str, list[dict[str, object]]]:
    done = segue(tmp_path, "doctor", "--json", *words)
    assert done.returncode in (0, 1), done.stderr
    made: dict[str, list[dict[str, object]]] = {}
    for item in json.loads(done.stdout):
        made.setdefault(item["check"], []).append(item)
    return made


def test_an_empty_home_is_sound_and_told_what_to_install(tmp_path: Path) -> None:
    found = findings(tmp_path)
    assert found["segue"][0]["level"] == "ok"
    assert found["pi"][0]["todo"] == "segue install pi"
    assert "SEGUE_STATE_DIR" in str(found["state"][0]["message"])


def test_outdated_glue_is_found_and_the_fix_is_looked_at_again(tmp_path: Path) -> None:
    segue(tmp_path, "install", "pi", "--yes")
    glue = tmp_path / "home" / ".pi" / "agent" / "extensions" / "segue" / "shown.ts"
    glue.write_text("// an older one", "utf-8")
    before = findings(tmp_path)["pi"][0]
    assert before["level"] == "warning"
    assert before["fixable"] is True
    after = findings(tmp_path, "--fix")["pi"][0]
    assert after["level"] == "ok"
    assert "/workflow" in str(after["message"])


def test_state_that_others_can_read_is_an_error_and_is_mended(tmp_path: Path) -> None:
    """S2: state is private."""
    segue(tmp_path, "new", "probe")
    assert segue(tmp_path, "rehearse", "probe", "x", "--keep").returncode in (0, 1, 2)
    (database,) = (tmp_path / "state" / "projects").glob("*/state.sqlite3")
    database.chmod(0o644)
    done = segue(tmp_path, "doctor")
    assert done.returncode == 1
    assert "can be read by others" in done.stdout
    assert segue(tmp_path, "doctor", "--fix").returncode == 0
    assert database.stat().st_mode & 0o777 == 0o600
