"""`segue runs` and `segue show`: where runs stand, and why."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from .conftest import Done


def test_looking_makes_no_state(segue: Callable[..., Done], tmp_path: Path) -> None:
    assert "no runs here yet" in segue("runs").out
    assert segue("runs", "--json").json() == []
    assert segue("show", "run-x").code == 1
    assert not (tmp_path / "state").exists()


def test_the_latest_twenty_are_listed_newest_first(segue: Callable[..., Done]) -> None:
    words = ("rehearse", "review", "x", "--answers", "answers.json", "--keep", "--json")
    made = [segue(*words).json()["run_id"] for _ in range(21)]
    listed = [run["run_id"] for run in segue("runs", "--json").json()]
    assert listed == made[:0:-1]
    assert all(run in segue("runs").out for run in listed)


def test_a_run_that_was_left_waits_and_its_next_step_works(
    segue: Callable[..., Done], kept: str
) -> None:
    """D7 and D8: one closed set of words, and a next step that exists."""
    run = segue("runs", "--json").json()[0]
    assert (run["status"], run["reason"]) == ("waiting", "detached")
    words = run["next_step"].split()
    assert words == ["segue", "resume", kept]
    assert segue(*words[1:], "--answers", "answers.json").code == 0


def test_a_run_whose_process_was_killed_is_shown_as_such(
    segue: Callable[..., Done], project: Path
) -> None:
    """D3 and D8: `owner_gone` is proved when it is read."""
    code = (
        "import os, signal, sys\nfrom segue.plugin import cli, setting\n"
        "setting.Scripted.answer = lambda *_: os.kill(os.getpid(), signal.SIGKILL)\n"
        "cli.main(['rehearse', 'review', 'x', '--keep', '--answers', 'answers.json'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=project, env={**os.environ}, capture_output=True
    )
    assert done.returncode == -signal.SIGKILL
    run = segue("runs", "--json").json()[0]
    assert (run["status"], run["reason"]) == ("waiting", "owner_gone")
    assert segue("resume", run["run_id"], "--answers", "answers.json").code == 0


def test_show_tells_the_run_step_by_step(segue: Callable[..., Done], kept: str) -> None:
    out = segue("show", kept).out
    assert "review  ◔ waiting" in out
    assert "asks      Fix what the review found: a fault" in out
    assert f"next      segue resume {kept}" in out
    assert "inspect" in out
    assert all(len(line) <= 80 for line in out.splitlines())


def test_show_takes_the_beginning_of_an_id_and_refuses_to_guess(
    segue: Callable[..., Done], kept: str
) -> None:
    """O8."""
    assert segue("show", kept[:8], "--json").json()["run_id"] == kept
    segue("rehearse", "review", "y", "--keep", "--answers", "half.json")
    done = segue("show", "run-")
    assert done.code == 1
    assert "could be any of" in done.err
    assert kept in done.err
    assert segue("show", "run-zzz").err == (
        "segue: there is no run 'run-zzz'; `segue runs` lists them\n"
    )


def test_show_as_json_has_the_steps_and_on_request_the_journal(
    segue: Callable[..., Done], kept: str
) -> None:
    made = segue("show", kept, "--json").json()
    assert made["input"] == {"task": "x"}
    assert made["steps"][0]["output"] == {"route": "issues_found", "reason": "a fault"}
    assert [s["outcome"] for s in made["steps"]] == ["ok", "asked"]
    assert "events" not in made
    events = segue("show", kept, "--json", "--events").json()["events"]
    assert [e["revision"] for e in events] == list(range(1, len(events) + 1))
    assert "asked" in segue("show", kept, "--events").out


def test_text_cannot_steer_the_terminal(segue: Callable[..., Done], project: Path) -> None:
    items = {"inspect": [{"route": "clean", "reason": "\x1b[2J\x07gone\u202e"}]}
    (project / "a.json").write_text(json.dumps(items))
    out = segue("rehearse", "review", "x", "--keep", "--answers", "a.json").out
    run = segue("runs", "--json").json()[0]["run_id"]
    for text in (out, segue("show", run).out):
        assert "\x1b" not in text
        assert "\x07" not in text
        assert "\u202e" not in text


@pytest.mark.parametrize("words", [("runs",), ("show", "run-x"), ("state", "verify")])
def test_a_database_that_is_none_is_one_clear_line(
    segue: Callable[..., Done], kept: str, tmp_path: Path, words: tuple[str, ...]
) -> None:
    database = next((tmp_path / "state").rglob("state.sqlite3"))
    for beside in database.parent.glob("state.sqlite3-*"):
        beside.unlink()
    database.write_bytes(b"this is no database at all" * 100)
    before = database.read_bytes()
    done = segue(*words)
    assert done.code == 1
    assert str(database) in done.err
    assert "segue state backup" in done.err
    assert done.err.count("\n") == 1
    assert database.read_bytes() == before
