"""A person at the terminal in the place of the model: what is typed and what is made of it."""

from __future__ import annotations

import io
import os
import pty
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from segue.plugin.cast import Nobody, NobodyThere, Person, Stopped
from segue.plugin.views.page import Page
from segue.session.text import step_text
from segue.session.workflow.snapshot import NodeDef

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SCHEMA: dict[str, Any] = {"type": "object"}


def typing(*lines: str) -> tuple[Person, io.StringIO]:
    """A person who types these lines and then ends the input."""
    shown, left = io.StringIO(), list(lines)

    def read(_prompt: str) -> str:
        if not left:
            raise EOFError
        return left.pop(0)

    return Person(Page(shown), read), shown


def said(node: NodeDef, kind: str, *lines: str) -> Any:
    person, _ = typing(*lines)
    return person.answer(node, kind, 0, step_text("w", node, "req_1", "do it"))


AGENT = NodeDef("a", "agent", schema=SCHEMA)
TEXT = NodeDef("c", "checkpoint")
HUMAN = NodeDef("h", "checkpoint", human=True, choices=("go", "stop"), text=("stop",))


@pytest.mark.parametrize(
    ("lines", "value"),
    [
        (['{"a": 1}'], {"a": 1}),
        (['{"a":', "1", "}"], {"a": 1}),
        (["null"], None),
        (["", "[1,", "2]"], [1, 2]),
        (["not json"], "not json"),
        (['{"a":', ""], '{"a":'),
        (["```json", '{"a": 1}', "```", ""], '```json\n{"a": 1}\n```'),
        (['{"$outcome": "timed_out"}'], {"$outcome": "timed_out"}),
    ],
)
def test_json_may_go_over_lines_and_what_is_none_is_sent_as_it_is(
    lines: list[str], value: Any
) -> None:
    assert said(AGENT, "output", *lines) == value


@pytest.mark.parametrize(
    ("node", "kind", "lines", "value"),
    [
        (NodeDef("s", "assistant"), "reply", ["one", "two", ""], "one\ntwo"),
        (TEXT, "checkpoint", ["any text", ""], "any text"),
        (TEXT, "checkpoint", ['{"$outcome": "timed_out"}', ""], {"$outcome": "timed_out"}),
        (HUMAN, "human", ["go"], {"choice": "go"}),
        (HUMAN, "human", ["1"], {"choice": "go"}),
        (HUMAN, "human", ["2", "too early", ""], {"choice": "stop", "text": "too early"}),
        (HUMAN, "human", ["perhaps"], {"choice": "perhaps"}),
        (HUMAN, "human", ["9"], {"choice": "9"}),
    ],
)
def test_each_kind_is_asked_for_in_its_own_way(
    node: NodeDef, kind: str, lines: list[str], value: Any
) -> None:
    assert said(node, kind, *lines) == value


def test_effects_are_asked_for_as_well() -> None:
    action = NodeDef("x", "action", effect="manual")
    shell = NodeDef("y", "shell", effect="idempotent")
    assert typing('"sent"')[0].effect(action, 1) == "sent"
    assert typing("1 passed", "", "")[0].effect(shell, 1) == {
        "stdout": "1 passed",
        "exit_code": 0,
    }
    assert typing("oh", "", "2")[0].effect(shell, 1) == {"stdout": "oh", "exit_code": 2}
    assert typing('{"exit_code": 3}', "")[0].effect(shell, 1) == {"exit_code": 3}


def test_how_to_answer_is_told_once_for_each_kind() -> None:
    person, shown = typing("null", "null", "text", "")
    text = step_text("w", AGENT, "req_1", "do it")
    person.answer(AGENT, "output", 0, text)
    person.answer(AGENT, "output", 1, text)
    person.answer(NodeDef("s", "assistant"), "reply", 0, text)
    assert shown.getvalue().count("Answer as the model: JSON") == 1
    assert "$outcome" in shown.getvalue()


def test_the_end_of_input_stops_the_rehearsal() -> None:
    with pytest.raises(Stopped):
        said(AGENT, "output")


def test_nobody_names_the_option() -> None:
    with pytest.raises(NobodyThere, match="--answers FILE"):
        Nobody().effect(NodeDef("x", "action"), 1)


def conversation(process: subprocess.Popen[bytes], terminal: int, typed: bytes) -> str:
    """Type into a terminal once the process has asked, and give all that it showed."""
    shown, sent = b"", False
    while True:
        try:
            data = os.read(terminal, 65536)
        except OSError:  # the other end is closed: Linux's way of saying so
            break
        if not data:
            break
        shown += data
        if not sent and b"you" in shown:
            os.write(terminal, typed)
            sent = True
    process.wait()
    return shown.decode()


@pytest.mark.parametrize(("environ", "colours"), [({}, True), ({"NO_COLOR": "1"}, False)])
def test_on_a_terminal_the_person_is_asked(
    project: Path, environ: dict[str, str], colours: bool
) -> None:
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "segue", "rehearse", "review", "x"],
        cwd=project,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "80", **environ},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    ) as process:
        os.close(theirs)
        answer = b'{"route": "clean", "reason": "fine"}\n'
        shown = conversation(process, ours, answer)
        os.close(ours)
    assert process.returncode == 0, shown
    assert "completed" in shown
    assert ("\x1b[36m" in shown) == colours


def test_beside_json_the_conversation_goes_to_stderr(
    project: Path, segue: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr("sys.stdin", Terminal('{"route": "clean", "reason": "fine"}\n'))
    done = segue("rehearse", "review", "x", "--json")
    assert done.json()["status"] == "completed"
    assert "Review the current change" in done.err
