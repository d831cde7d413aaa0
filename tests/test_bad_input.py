"""Bad input through the command line: one clear line with the place, and the state as it was."""

from __future__ import annotations

import re
import sqlite3
import sys
from typing import TYPE_CHECKING

import pytest

from segue.plugin.cli import main
from segue.session import filesystems, paths
from segue.session.store import migrations
from tests.kit import HEAD, rows, write_workflow

if TYPE_CHECKING:
    from pathlib import Path

GOOD = """
wf = Workflow("w", start="a")
@wf.compute
def a(ctx: Context[Any]) -> int:
    return 1
"""


class Shell:
    """A person at a terminal, in one project with one state folder."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.project = folder / "project"
        self.project.mkdir(parents=True)
        self.state = folder / "state"
        self.capsys = capsys

    def write(self, text: str, **how: str) -> Path:
        return write_workflow(self.project, "w", text, **how)

    def settings(self, text: str) -> None:
        (self.project / ".segue").mkdir(exist_ok=True)
        (self.project / ".segue" / "config.toml").write_text(text)

    @property
    def database(self) -> Path:
        return paths.project_state(paths.StateHome(self.state, "--state"), self.project)

    def rehearse(self, *words: str) -> tuple[int, str, str]:
        """Give exit code, what was printed, and the last line that was said about it."""
        where = ["--project", str(self.project), "--state", str(self.state)]
        code = main(["rehearse", "w", "--keep", *words, *where])
        said = self.capsys.readouterr()
        return code, said.out, said.err

    def rows(self) -> dict[str, str]:
        if not self.database.exists():
            return {}
        db = sqlite3.connect(self.database)
        try:
            return rows(db)
        finally:
            db.close()


@pytest.fixture
def shell(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(tmp_path, capsys)


def test_a_worker_interpreter_below_the_project_is_found_from_anywhere(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As written in `.segue/config.toml`, whatever folder the command is typed in."""
    shell.write(GOOD)
    shell.settings('[worker]\npython = ".venv/bin/python"\n')
    python = shell.project / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\ntouch "$0.used"\nexec {sys.executable} "$@"\n')
    python.chmod(0o700)
    monkeypatch.chdir(python.parent)
    assert shell.rehearse()[0] == 0
    assert python.with_name("python.used").exists()


def run_once(shell: Shell) -> dict[str, str]:
    shell.write(GOOD)
    assert shell.rehearse()[0] == 0
    return shell.rows()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x = (", r"w\.py:\d+:\d+: syntax error: '\(' was never closed"),
        ("import no_such_thing", r"w\.py:\d+: ModuleNotFoundError: No module named 'no_such"),
        ("while True: pass", r"w\.py: importing it took more than 0\.3 s: is there a loop"),
        ("sys.exit(3)", r"w\.py:\d+: sys\.exit\(3\) while it was imported"),
        ("os._exit(3)", r"w\.py: importing it ended the process .*exit code 3.*callback"),
        ("x = 1", r"w\.py: a workflow named 'w' after its file is missing"),
        (GOOD.replace("start='a'", "").replace('start="a"', 'start="b"'), r"w\.py:\d+.*'b'"),
    ],
)
def test_a_file_that_cannot_be_used_is_named_with_its_place_and_writes_nothing(
    shell: Shell, text: str, said: str
) -> None:
    before = run_once(shell)
    shell.write(text)
    if "took more" in said:
        shell.settings("[worker]\nload_seconds = 0.3\n")
    code, _, error = shell.rehearse()
    assert code == 1
    assert re.search(said, error), error
    assert len(error.splitlines()) == 1
    assert shell.rows() == before


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("raise ValueError('bad luck')", r"ValueError: bad luck"),
        ("sys.exit(3)", r"sys\.exit\(3\)"),
        ("os._exit(3)", r"no.progress|the worker died \(exit code 3\)"),
        ("signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))\n    time.sleep(1e6)", "0.3 s"),
        ("return object()", r"not JSON"),
        ("return 'x' * 100_000_000", r"100,000,002 characters of JSON; at most 10,000,000"),
    ],
)
def test_a_callback_that_goes_wrong_ends_the_run_with_its_reason(
    shell: Shell, body: str, said: str
) -> None:
    limit = "0.3" if said == "0.3 s" else "60"
    text = GOOD.replace("return 1", body).replace("-> int", "-> Any")
    shell.write(text.replace("compute", f"compute(timeout={limit})"))
    code, out, error = shell.rehearse()
    assert code == 1
    assert re.search(said, out + error), out + error
    assert "Traceback" not in error


def test_a_result_that_is_not_what_was_promised_is_one_line(shell: Shell) -> None:
    shell.write(GOOD.replace("return 1", "return 'one'"))
    code, out, _ = shell.rehearse("--json")
    assert code == 1
    said = "the output does not fit its type: expected int; received 'one' (str) ("
    assert said in out


def test_a_print_flood_hides_nothing(shell: Shell) -> None:
    shell.write(GOOD.replace("return 1", "print('x' * 20_000_000)\n    return 1"))
    code, out, _ = shell.rehearse("--json")
    assert code == 0
    assert '"status": "completed"' in out
    assert "xxx" not in out


def test_input_that_does_not_fit_names_the_field_and_an_example(shell: Shell) -> None:
    before = run_once(shell)
    shell.write(
        "class In(BaseModel):\n    count: int\n" + GOOD.replace('start="a"', 'input=In, start="a"')
    )
    code, _, error = shell.rehearse("--input-json", '{"count": "many"}')
    assert code == 1
    assert "count: expected a valid integer" in error
    assert "--input-json" in error
    assert len(error.splitlines()) == 1
    assert shell.rows() == before


@pytest.mark.parametrize("how", ["newer", "damaged", "other"])
def test_a_database_that_cannot_be_used_is_named_and_left_as_it_is(shell: Shell, how: str) -> None:
    run_once(shell)
    if how == "damaged":
        shell.database.write_bytes(b"garbage" * 1000)
    else:
        db = sqlite3.connect(shell.database)
        pragma = "application_id = 7" if how == "other" else "user_version = 999"
        db.execute(f"PRAGMA {pragma}")
        db.close()
    before = shell.database.read_bytes()
    code, _, error = shell.rehearse()
    assert code == 1
    assert str(shell.database) in error
    said = {"newer": "newer Segue", "damaged": "damaged", "other": "no database of Segue"}
    assert said[how] in error
    assert len(error.splitlines()) == 1
    assert shell.database.read_bytes() == before
    assert migrations.LATEST < 999


def test_s2_a_network_file_system_is_refused_before_the_first_write(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell.write(GOOD)
    assert "nfs4" in filesystems.NETWORK
    monkeypatch.setattr(
        paths.prepare, "__kwdefaults__", {"top": None, "file_system": lambda _: "nfs4"}
    )
    code, _, error = shell.rehearse()
    assert code == 1
    assert "network file system (nfs4)" in error
    assert "SEGUE_STATE_DIR" in error
    assert not shell.state.exists()


@pytest.mark.parametrize("name", ["with space", "ümläut-日本", "x" * 120])
def test_projects_in_folders_of_every_kind_work(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    folder = tmp_path / name / name if len(name) > 100 else tmp_path / name
    shell = Shell(folder, capsys)
    shell.write(GOOD, head=HEAD)
    assert shell.rehearse("--json")[::2] == (0, "")
    link = tmp_path / "link"
    link.symlink_to(shell.project)
    shell.project = link
    assert shell.rehearse("--json")[0] == 0
    assert len(list((shell.state / "projects").iterdir())) == 1, "a link is the same project"
