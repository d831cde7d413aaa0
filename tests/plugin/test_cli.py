"""The command line itself: exit codes, help, and what short commands import."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from segue import __version__
from segue.plugin import cli
from segue.plugin.commands import COMMANDS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from .conftest import Done

OWN = ("new", "list", "rehearse", "runs", "show", "resume", "cancel", "state")


@pytest.mark.parametrize("name", OWN)
def test_help_of_each_command_has_its_example(segue: Callable[..., Done], name: str) -> None:
    done = segue(name, "--help")
    assert done.code == 0
    assert f"example:\n  {COMMANDS[name].example}" in done.out


@pytest.mark.parametrize("name", OWN)
def test_each_command_takes_project_and_state(segue: Callable[..., Done], name: str) -> None:
    out = segue(name, "--help").out
    assert "--project DIR" in out
    assert "--state DIR" in out


def test_the_version_is_printed(process: Callable[..., Done]) -> None:
    done = process("--version")
    assert (done.code, done.out, done.err) == (0, f"segue {__version__}\n", "")


@pytest.mark.parametrize("words", [(), ("nope",), ("runs", "--bogus"), ("show",)])
def test_a_wrong_call_is_exit_code_2(segue: Callable[..., Done], words: tuple[str, ...]) -> None:
    done = segue(*words)
    assert done.code == 2
    assert done.out == ""


def test_an_expected_failure_is_exit_code_1_and_one_line(process: Callable[..., Done]) -> None:
    done = process("rehearse", "revew")
    assert done.code == 1
    assert done.err.splitlines() == [
        "segue: there is no workflow 'revew': did you mean 'review'? See `segue list`"
    ]


def test_a_bug_is_exit_code_3_and_names_its_log(
    segue: Callable[..., Done], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr("segue.plugin.commands.list.discover", broken)
    done = segue("list")
    assert done.code == 3
    log = next((tmp_path / "state").glob("crash-*.log"))
    assert str(log) in done.err
    assert log.stat().st_mode & 0o777 == 0o600
    assert "ZeroDivisionError: a bug" in log.read_text()


def test_an_interrupt_is_exit_code_130(monkeypatch: pytest.MonkeyPatch, project: Path) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("segue.plugin.commands.list.discover", interrupted)
    assert cli.main(["list"]) == 130


@pytest.mark.parametrize("command", ["'--version'", "'list'", "'runs'", "'list', '--json'"])
def test_short_commands_import_none_of_the_large_packages(
    process: Callable[..., Done], command: str
) -> None:
    """Product.md section 9: no pygls, lsprotocol or pydantic on that path."""
    done = process(
        code=f"import sys; sys.argv = ['segue', {command}]\n"
        "from segue.__main__ import main\n"
        "code = main()\n"
        "heavy = ('pydantic', 'pygls', 'lsprotocol', 'tree_sitter', 'psutil', 'pytest')\n"
        "print(code, [m for m in heavy if m in sys.modules], file=sys.stderr)"
    )
    assert done.err.splitlines()[-1] == "0 []"


def test_the_parent_of_a_rehearsal_never_imports_pydantic(process: Callable[..., Done]) -> None:
    done = process(
        code="import sys\nfrom segue.plugin.cli import main\n"
        "code = main(['rehearse', 'review', 'x', '--answers', 'answers.json', '--json'])\n"
        "print(code, [m for m in ('pydantic', 'asyncio') if m in sys.modules], file=sys.stderr)"
    )
    assert done.err.splitlines()[-1] == "0 []"


def test_words_and_options_come_in_any_order(segue: Callable[..., Done]) -> None:
    words = ("rehearse", "--json", "review", "the", "--answers", "answers.json", "login", "page")
    assert segue(*words).json()["output"]["task"] == "the login page"


def test_a_reader_that_goes_away_is_no_error(process: Callable[..., Done]) -> None:
    done = process(
        code="import os, subprocess, sys\n"
        "read, write = os.pipe(); os.close(read)\n"
        "done = subprocess.run([sys.executable, '-m', 'segue', 'list'], stdout=write)\n"
        "print(done.returncode)"
    )
    assert done.out == "0\n"
    assert done.err == ""
