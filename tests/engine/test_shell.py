"""Commands: bounded capture, lines as they come, and an end that nobody can hold up."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from segue.session import limits
from segue.session.engine.shell import Capture, Ran, run
from segue.session.workflow.values import ShellResult


def sh(script: str, cwd: Path = Path("/"), **env: str) -> Ran:
    return run(["sh", "-c", script], cwd, env, None)


def test_both_streams_and_the_exit_code_are_kept_apart(tmp_path: Path) -> None:
    result = sh("echo out; echo err >&2; exit 3", tmp_path).result
    assert result == ShellResult(stdout="out\n", stderr="err\n", exit_code=3)


def test_a_command_runs_where_it_is_told_to_and_reads_nothing(tmp_path: Path) -> None:
    assert sh("pwd; cat", tmp_path).result.stdout == f"{tmp_path}\n"


def test_its_variables_come_on_top_of_the_process_s_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEPT", "old")
    assert sh('echo "$KEPT $ADDED"', ADDED="new").result.stdout == "old new\n"


def test_a_killed_command_says_by_which_signal() -> None:
    ran = sh("echo dying >&2; kill -TERM $$")
    assert ran.result.exit_code == -signal.SIGTERM
    assert ran.complaint("sh") == "sh was killed by signal 15: dying"


def test_s4_the_last_million_characters_are_kept_and_the_rest_counted() -> None:
    result = sh("head -c 3000000 /dev/zero | tr '\\0' x; echo end").result
    assert len(result.stdout) == limits.CAPTURE_CHARS
    assert result.stdout.endswith("xend\n")
    assert result.stdout_dropped == 2_000_004


def test_bytes_that_are_not_utf_8_are_replaced_and_a_cut_character_is_not() -> None:
    assert sh("printf 'a\\377b'").result.stdout == "a\ufffdb"
    capture = Capture(100, None)
    for byte in "grün".encode():
        capture.feed(bytes([byte]))
    assert capture.text() == "grün"


def test_lines_are_given_as_they_come_whatever_ends_them() -> None:
    seen: list[str] = []
    run(["printf", "one\\ntwo\\rthree\\r\\n\\nfour"], Path("/"), {}, seen.append)
    assert seen == ["one", "two", "three", "four"]


def test_a_line_without_end_is_cut_and_costs_no_memory() -> None:
    seen: list[str] = []
    capture = Capture(100, seen.append)
    for _ in range(1000):
        capture.feed(b"x" * 1000)
    capture.feed(b"\nnext\n", final=True)
    assert [len(line) for line in seen] == [8192, 4]


def test_a_daemon_that_holds_the_pipe_does_not_hold_up_the_step(tmp_path: Path) -> None:
    pidfile = tmp_path / "pid"
    result = sh(f"sleep 100000 & echo $! > {pidfile}; echo done").result
    os.kill(int(pidfile.read_text()), signal.SIGKILL)
    assert result.stdout == "done\n"


def test_a_command_that_is_not_there_raises(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        run(["no-such-command"], tmp_path, {}, None)


def test_a_receipt_is_bounded() -> None:
    ran = Ran(ShellResult(stdout="abc", stdout_dropped=7), 1.23456)
    receipt = ran.receipt(["w" * 5000] * 500, "/here")
    assert receipt["seconds"] == 1.235
    assert receipt["stdout_chars"] == 10
    assert len(receipt["argv"]) == 100
    assert len(receipt["argv"][0]) == 1000


def test_a_complaint_shows_the_end_of_what_was_said() -> None:
    ran = Ran(ShellResult(stdout="first " + "x" * 1000 + " last", exit_code=2), 0.1)
    said = ran.complaint("make")
    assert said.startswith("make exited with code 2: ")
    assert said.endswith(" last")
    assert len(said) < 450
