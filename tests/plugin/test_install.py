"""Installing into other programs: shown, asked for, recorded, undone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from segue.plugin.installs import HOSTS, pi
from segue.plugin.installs.plan import Plan, read_record
from segue.session import tool
from segue.session.errors import SegueError


def segue(tmp_path: Path, *words: str) -> subprocess.CompletedProcess[str]:
    env = {
        **os.environ,
        "HOME": str(tmp_path / "home"),
        "PI_CODING_AGENT_DIR": str(tmp_path / "home" / ".pi" / "agent"),
        "SEGUE_STATE_DIR": str(tmp_path / "state"),
    }
    env.pop("XDG_DATA_HOME", None)
    (tmp_path / "project").mkdir(exist_ok=True)
    (tmp_path / "home").mkdir(exist_ok=True)
    return subprocess.run(
        [sys.executable, "-m", "segue", *words],
        cwd=tmp_path / "project",
        env=env,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
        timeout=60,
    )


def test_the_tool_that_pi_registers_is_the_one_that_the_server_answers() -> None:
    written = json.loads((pi.CLIENT / "tool.json").read_text("utf-8"))
    assert written == {
        "name": tool.NAME,
        "description": tool.DESCRIPTION,
        "schema": tool.schema(),
    }


def test_nothing_is_written_before_somebody_says_so(tmp_path: Path) -> None:
    shown = segue(tmp_path, "install", "pi", "--dry-run")
    assert shown.returncode == 0
    assert "index.ts" in shown.stdout
    asked = segue(tmp_path, "install", "pi")
    assert asked.returncode == 2
    assert "--yes" in asked.stderr
    assert not (tmp_path / "home" / ".pi").exists()


def test_an_installation_is_undone_to_the_last_file(tmp_path: Path) -> None:
    assert segue(tmp_path, "install", "pi", "--yes").returncode == 0
    folder = tmp_path / "home" / ".pi" / "agent" / "extensions" / "segue"
    command = json.loads((folder / "segue.json").read_text("utf-8"))["command"]
    assert command[0] == sys.executable
    assert set(read_record(folder)) == {
        str(p.relative_to(folder))
        for p in folder.rglob("*")
        if p.is_file() and not p.name.startswith(".")
    }
    assert "skills/segue-workflows/SKILL.md" in read_record(folder)
    assert segue(tmp_path, "uninstall", "pi", "--yes").returncode == 0
    assert not folder.exists()


def test_an_installation_for_a_project_lies_in_the_project(tmp_path: Path) -> None:
    assert segue(tmp_path, "install", "pi", "--scope", "project", "--yes").returncode == 0
    assert (tmp_path / "project" / ".pi" / "extensions" / "segue" / "index.ts").is_file()


def test_a_file_that_somebody_has_changed_is_left_and_named(tmp_path: Path) -> None:
    plan = Plan("pi", tmp_path / "ext", {"a.ts": b"one", "b.ts": b"two"})
    plan.apply()
    (tmp_path / "ext" / "a.ts").write_text("mine", "utf-8")
    assert plan.state() == "outdated"
    assert plan.undo() == [tmp_path / "ext" / "a.ts"]
    assert [p.name for p in (tmp_path / "ext").iterdir()] == ["a.ts"]


def test_a_file_that_is_not_segues_is_never_written_over(tmp_path: Path) -> None:
    (tmp_path / "ext").mkdir()
    (tmp_path / "ext" / "a.ts").write_text("mine", "utf-8")
    with pytest.raises(SegueError, match="is not Segue's"):
        Plan("pi", tmp_path / "ext", {"a.ts": b"one"}).apply()
    assert (tmp_path / "ext" / "a.ts").read_text("utf-8") == "mine"


def test_a_newer_version_removes_what_it_has_no_more(tmp_path: Path) -> None:
    Plan("pi", tmp_path / "ext", {"old.ts": b"one", "b.ts": b"two"}).apply()
    newer = Plan("pi", tmp_path / "ext", {"b.ts": b"three"})
    assert newer.state() == "outdated"
    newer.apply()
    assert newer.state() == "current"
    assert not (tmp_path / "ext" / "old.ts").exists()


@pytest.mark.parametrize("host", sorted(HOSTS))
def test_what_is_not_installed_cannot_be_taken_out(tmp_path: Path, host: str) -> None:
    done = segue(tmp_path, "uninstall", host, "--yes")
    assert done.returncode == 1
    assert "nothing of Segue is installed" in done.stderr


def test_neovim_is_installed_beside_what_a_person_has(tmp_path: Path) -> None:
    """A package of its own, with the interpreter to start; taken out to the last file."""
    data = tmp_path / "home" / ".local" / "share"
    (data / "nvim").mkdir(parents=True)
    (data / "nvim" / "mine").write_text("mine")
    assert segue(tmp_path, "install", "nvim", "--yes").returncode == 0
    package = data / "nvim" / "site" / "pack" / "segue" / "start" / "segue"
    assert (package / "lsp" / "segue.lua").is_file()
    command = json.loads((package / "segue.json").read_text("utf-8"))["command"]
    assert command[0] == sys.executable
    assert command[-2:] == ["lsp", "--stdio"]
    assert segue(tmp_path, "uninstall", "nvim", "--yes").returncode == 0
    assert not package.exists()
    assert (data / "nvim" / "mine").read_text() == "mine"


def test_the_page_of_neovim_names_every_verb() -> None:
    """A verb of `:Segue` that nobody can read about is not there (style 24)."""
    from segue.plugin.installs import nvim

    page = (Path(__file__).parents[2] / "docs" / "NEOVIM.md").read_text("utf-8")
    lines = (nvim.CLIENT / "lua" / "segue" / "command.lua").read_text("utf-8")
    verbs = lines[lines.index("M.verbs = {") : lines.index("}\n\n", lines.index("M.verbs"))]
    for line in verbs.splitlines()[1:]:
        name = line.split("=")[0].strip()
        assert f":Segue {name}" in page or f"`{name}`" in page, name
