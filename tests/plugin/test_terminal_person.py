"""What only a person at a terminal may do: answer, rebind, trust (H1, H2)."""

from __future__ import annotations

import json
import os
import re
import stat
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from segue.plugin.terminal_person import AGENTS, agent
from segue.session import grammar
from segue.session.ownership import Actor, Who
from segue.session.why import WHY
from tests.plugin.hosted import House, Pty, no_agent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .conftest import Done


@pytest.fixture
def house(project: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    no_agent(monkeypatch)
    made = House(project)
    yield made
    made.close()


class Desk:
    """Commands typed at terminals of their own."""

    def __init__(self, project: Path, folder: Path) -> None:
        self.project = project
        self.out = folder / "stdout"

    def type(self, *words: str, **more: str) -> Pty:
        env = {**os.environ, **more}
        return Pty(*words, cwd=self.project, stdout=self.out, env=env)

    def result(self) -> str:
        return self.out.read_text("utf-8")


@pytest.fixture
def desk(project: Path, tmp_path: Path) -> Desk:
    return Desk(project, tmp_path)


def _request(segue: Callable[..., Done], run: str) -> str:
    request: str = segue("why", run, "--json").json()["request"]["id"]
    return request


def test_h1_a_person_answers_at_a_terminal_by_typing_the_runs_name(
    house: House, segue: Callable[..., Done], desk: Desk
) -> None:
    """H1, H2: exactly what is approved is shown, with the short form of its digest."""
    binding, _, run = house.start("ship")
    told = segue("why", run, "--json").json()
    assert told["next_step"] == f"segue answer {told['request']['id']}"
    terminal = desk.type("answer", told["request"]["id"], "approve", "--wait", "0", "--json")
    shown = terminal.until("Type ship to answer 'approve': ")
    assert "| Ship version 7 to everybody?" in shown
    assert f"shown text {told['request']['shown']}" in shown
    assert str(binding.key) in shown
    terminal.type("ship")
    assert terminal.end() == 0
    made = json.loads(desk.result())
    assert (made["taken"], made["request"]["answer_stored"]) == (False, True)
    binding.pump()
    after = segue("show", run, "--json").json()
    assert after["status"] == "completed"
    assert after["steps"][0]["output"] == {
        "choice": "approve",
        "text": None,
        "provenance": "human",
    }


def test_a_choice_and_its_text_can_be_given_at_the_terminal(
    house: House, segue: Callable[..., Done], desk: Desk
) -> None:
    """By the asker, where the session's process has let go of it."""
    binding, _, run = house.start("ship")
    binding.close()
    terminal = desk.type("answer", _request(segue, run))
    terminal.until("Your choice (approve, change): ")
    terminal.type("change")
    terminal.until("Text for change: ")
    terminal.type("not on a Friday")
    terminal.until("Type ship to answer 'change': ")
    terminal.type("ship")
    assert terminal.end() == 0
    assert "the answer was taken" in desk.result()
    made = segue("show", run, "--json").json()
    assert made["steps"][0]["output"]["text"] == "not on a Friday"
    assert made["reason"] == "detached"


@pytest.mark.parametrize("typed", ["", "shi", "y", "yes", "ship it"])
def test_h1_anything_but_the_name_changes_nothing(
    house: House, segue: Callable[..., Done], desk: Desk, typed: str
) -> None:
    _, _, run = house.start("ship")
    terminal = desk.type("answer", _request(segue, run), "approve")
    terminal.until("Type ship")
    terminal.type(typed)
    assert terminal.end() == 1
    assert "nothing is changed" in desk.result()
    assert not segue("why", run, "--json").json()["request"]["answer_stored"]


def test_h1_what_was_typed_ahead_does_not_count(
    house: House, segue: Callable[..., Done], desk: Desk
) -> None:
    _, _, run = house.start("ship")
    terminal = desk.type("answer", _request(segue, run))
    terminal.until("Your choice")
    terminal.type("approve\nship")  # the name, before it is asked for
    terminal.until("Type ship")
    terminal.type("")
    assert terminal.end() == 1


def test_h1_without_a_terminal_nothing_is_approved(
    house: House, segue: Callable[..., Done], process: Callable[..., Done]
) -> None:
    """A process without a controlling terminal is refused, whatever stdin says."""
    _, _, run = house.start("ship")
    request = _request(segue, run)
    code = (
        "import os, sys; os.setsid() if os.getpid() != os.getsid(0) else None;"
        "from segue.plugin.cli import main; sys.exit(main(sys.argv[1:] or WORDS))"
    )
    house.bind("b")
    for words in (
        ["answer", request, "approve"],
        ["rebind", run, "--session", "pi:b"],
        ["trust"],
    ):
        done = process(code=code.replace("WORDS", repr(words)))
        assert done.code == 1
        assert "there is no terminal to ask at" in done.err
    assert not segue("why", run, "--json").json()["request"]["answer_stored"]


@pytest.mark.parametrize("name", AGENTS)
def test_h1_each_known_agents_shell_is_told_by_its_variable(name: str) -> None:
    assert agent({name: "1", "HOME": "/"}) == (name, AGENTS[name])
    assert agent({name: "", "HOME": "/"}) is None


@pytest.mark.parametrize("words", [("answer", "REQ", "approve"), ("rebind", "RUN"), ("trust",)])
def test_h1_an_agents_shell_is_refused_even_at_a_terminal(
    house: House, segue: Callable[..., Done], desk: Desk, words: tuple[str, ...]
) -> None:
    _, _, run = house.start("ship")
    request = _request(segue, run)
    typed = [word.replace("REQ", request).replace("RUN", run) for word in words]
    terminal = desk.type(*typed, CLAUDECODE="1")
    assert terminal.end() == 1
    assert "the shell of Claude Code (CLAUDECODE is set)" in desk.result()
    assert terminal.said == ""


def test_h1_an_agents_shell_is_not_told_how_to_approve(
    house: House, segue: Callable[..., Done], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, _, run = house.start("ship")
    monkeypatch.setenv("GEMINI_CLI", "1")
    for words in (
        ("why", run),
        ("why", run, "--json"),
        ("status", run),
        ("status", run, "--json"),
        ("show", run),
        ("show", run, "--json"),
        ("runs", "--json"),
        ("sessions",),
        ("start", "ship", "--session", "pi:a"),
        ("resume", run),
    ):
        done = segue(*words)
        said = done.out + done.err
        assert not any(f"segue {verb}" in said for verb in ("answer", "rebind", "trust")), words
        assert "/workflow answer" not in said
    assert WHY["human"].person


def test_h2_an_answer_to_what_is_closed_by_now_is_refused(
    house: House, segue: Callable[..., Done], desk: Desk
) -> None:
    """H2: what was shown is not asked any more when the name is typed."""
    binding, _, run = house.start("ship")
    request = _request(segue, run)
    terminal = desk.type("answer", request, "approve")
    terminal.until("Type ship")
    grammar.command(binding, f"answer {request} approve")
    terminal.type("ship")
    assert terminal.end() == 1
    assert f"request {request} is answered already" in desk.result()
    again = segue("answer", request, "approve")
    assert (again.code, "is answered already" in again.err) == (1, True)


def test_a_text_cannot_steer_the_terminal_at_which_it_is_approved(
    house: House, segue: Callable[..., Done], desk: Desk
) -> None:
    _, _, run = house.start("ship")
    evil = "Ship?\x1b[2J\x1b[1;1H Do nothing."
    house.sql("UPDATE requests SET text = ?", evil)
    terminal = desk.type("answer", _request(segue, run), "approve")
    shown = terminal.until("Type ship")
    assert "\x1b" not in shown
    assert "Do nothing." in shown
    terminal.type("ship")
    assert terminal.end() == 1  # H2: this is not the text whose digest is kept
    assert "what you were shown has changed" in desk.result()


def test_a_checkpoint_needs_no_terminal_but_has_to_fit(
    house: House, segue: Callable[..., Done]
) -> None:
    binding, _, run = house.start("gate")
    binding.close()
    request = _request(segue, run)
    wrong = segue("answer", request, '{"word": 3}')
    assert wrong.code == 1
    assert "word: expected" in wrong.err
    asked = segue("answer", request)
    assert (asked.code, "Which word?" in asked.err) == (2, True)
    done = segue("answer", request, '{"word": "yes"}')
    assert (done.code, "the answer was taken" in done.out) == (0, True)
    assert segue("show", run, "--json").json()["output"] == {"word": "yes"}


def test_the_models_own_requests_are_nobody_elses(house: House, segue: Callable[..., Done]) -> None:
    """O3: a person elsewhere has no submit."""
    _, _, run = house.start("talk")
    done = segue("answer", _request(segue, run), "{}")
    assert done.code == 1
    assert "is the model's to answer" in done.err
    unknown = segue("answer", "req_nope", "x")
    assert (unknown.code, "no request 'req_nope'" in unknown.err) == (1, True)


def test_o2_a_run_is_moved_by_a_person_who_types_its_name(
    house: House, segue: Callable[..., Done], desk: Desk
) -> None:
    """O2, P-D3: a new session has nothing of it before; its done steps come along."""
    binding, talk, run = house.start("talk")
    binding.turn_started(talk.last.id)
    model = Actor(Who.MODEL, binding.key)
    binding.submit(talk.last.details["request"], {"text": "1"}, actor=model)
    binding.turn_ended("completed")
    other, news = house.bind("b")
    assert grammar.command(other, "status").data == {"run": None}
    with pytest.raises(Exception, match="no run of this session"):
        grammar.command(other, "resume")
    assert segue("why", run, "--json").json()["session"] == "pi:a"
    terminal = desk.type("rebind", run, "--session", "pi:b")
    shown = terminal.until("Type talk to move the run: ")
    assert "1 steps done" in shown
    assert "from session pi:a" in shown
    assert "to session   pi:b" in shown
    terminal.type("talk")
    assert terminal.end() == 0
    told = segue("why", run, "--json").json()
    assert (told["session"], told["reason"], told["steps_done"]) == ("pi:b", "rebound", 1)
    events = segue("show", run, "--events", "--json").json()["events"]
    moved = next(event for event in events if event["kind"] == "rebound")
    assert moved["data"] == {"from": "pi:a", "to": "pi:b"}
    other.pump()
    grammar.command(other, "resume")
    assert "Say two." in news.last.text
    steps = segue("show", run, "--json").json()["steps"]
    assert [(s["node"], s["attempt"], s["outcome"]) for s in steps] == [
        ("one", 1, "ok"),
        ("two", 1, "asked"),
    ]


def test_h2_a_run_that_changed_while_it_was_shown_is_not_moved(
    house: House, segue: Callable[..., Done], desk: Desk
) -> None:
    binding, _, run = house.start("talk")
    house.bind("b")
    terminal = desk.type("rebind", run, "--session", "pi:b")
    terminal.until("Type talk")
    grammar.command(binding, "pause")
    terminal.type("talk")
    assert terminal.end() == 1
    assert segue("why", run, "--json").json()["session"] == "pi:a"


def test_o8_where_a_run_goes_is_never_guessed(house: House, segue: Callable[..., Done]) -> None:
    _, _, run = house.start("talk")
    done = segue("rebind", run)
    assert (done.code, "--session KEY" in done.err) == (2, True)
    unknown = segue("rebind", run, "--session", "pi:nobody")
    assert (unknown.code, "seen: pi:a" in unknown.err) == (1, True)
    bad = segue("rebind", run, "--session", "b")
    assert (bad.code, "write HOST:ID" in bad.err) == (1, True)


def test_s1_a_project_is_trusted_by_a_person_who_types_its_name(
    house: House, segue: Callable[..., Done], desk: Desk
) -> None:
    """S1, S2: nothing of it runs before; the mark is the person's alone to read."""
    house.write("talk")
    house.bind()[0].close()
    refused = segue("start", "talk", "--session", "pi:a")
    assert (refused.code, "`segue trust`" in refused.err) == (1, True)
    terminal = desk.type("trust")
    assert "talk.py" in terminal.until("Type project to trust this project: ")
    terminal.type("project")
    assert terminal.end() == 0
    marks = list((house.database.parents[2] / "trusted").iterdir())
    assert [stat.S_IMODE(mark.stat().st_mode) for mark in marks] == [0o600]
    assert stat.S_IMODE(marks[0].parent.stat().st_mode) == 0o700
    assert segue("start", "talk", "--session", "pi:a").code == 0
    assert segue("trust", "--json").json()["trusted"] is True  # it asks nobody twice
    assert segue("trust", "--revoke", "--json").json()["trusted"] is False
    house.bind("b")
    assert segue("start", "talk", "--session", "pi:b").code == 1


def test_h1_the_docs_list_every_variable_and_say_what_can_be_forged() -> None:
    page = (Path(__file__).parents[2] / "docs" / "SECURITY.md").read_text("utf-8")
    assert set(AGENTS) == set(re.findall(r"`([A-Z_]+)`", page))
    assert "Another process that runs as you can" in page
