"""`segue why`: every reason for which a run can stand still, and its next step (D8)."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING, Any

import pytest

from segue.session import grammar
from segue.session.ownership import Actor, SessionKey, Who
from segue.session.why import WHY
from tests.plugin.hosted import House, Talk, no_agent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from segue.session.binding import Binding

    from .conftest import Done

ELSEWHERE = Actor(Who.ELSEWHERE)
Parked = "tuple[str, Binding]"


@pytest.fixture
def house(project: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    no_agent(monkeypatch)
    made = House(project)
    yield made
    made.close()


def _turns(binding: Binding, talk: Talk, *outcomes: str) -> None:
    for outcome in outcomes:
        binding.turn_started(talk.last.id)
        binding.turn_ended(outcome, "I looked at it")


def queued(house: House, _patch: Any) -> tuple[str, Binding]:
    house.write("talk")
    binding, _ = house.bind()
    binding.close()
    service = house.service()
    service.trusted = True
    return service.queue("talk", None, None, SessionKey("pi", "a")).run.id, binding


def wait(house: House, _patch: Any) -> tuple[str, Binding]:
    binding, _, run = house.start("asleep")
    binding.close()
    return run, binding


def checkpoint(house: House, _patch: Any) -> tuple[str, Binding]:
    binding, _, run = house.start("gate")
    return run, binding


def human(house: House, _patch: Any) -> tuple[str, Binding]:
    binding, _, run = house.start("ship")
    return run, binding


def missing_submission(house: House, _patch: Any) -> tuple[str, Binding]:
    binding, talk, run = house.start("talk")
    _turns(binding, talk, "completed", "completed", "completed")
    return run, binding


def turn_failed(house: House, _patch: Any) -> tuple[str, Binding]:
    binding, talk, run = house.start("talk")
    _turns(binding, talk, "failed")
    return run, binding


def no_progress(house: House, _patch: Any) -> tuple[str, Binding]:
    binding, _, run = house.start("dies")
    return run, binding


def prompt_too_long(house: House, _patch: Any) -> tuple[str, Binding]:
    binding, _, run = house.start("long")
    return run, binding


def cannot_load(house: House, _patch: Any) -> tuple[str, Binding]:
    (house.project / "needed").touch()
    binding, talk, run = house.start("needs")
    binding.close()
    (house.project / "needed").unlink()
    again, talk = house.bind(talk=talk)
    with pytest.raises(Exception, match="needed"):
        again.submit(talk.last.details["request"], None, actor=Actor(Who.MODEL, again.key))
    return run, again


def effect_alive(house: House, _patch: Any) -> tuple[str, Binding]:
    with pytest.MonkeyPatch.context() as patch:  # a process that nobody can see from here
        patch.setattr("segue.session.recovery.is_gone", lambda _: None)
        binding, _, run = house.start("pay")
    return run, binding


def effect_unknown(house: House, _patch: Any) -> tuple[str, Binding]:
    binding, _, run = house.start("pay")
    binding.close()
    return run, binding


def reopened(house: House, _patch: Any) -> tuple[str, Binding]:
    _, talk, run = house.start("talk")
    again, _ = house.bind(instance="i2", talk=talk)
    return run, again


def rebound(house: House, _patch: Any) -> tuple[str, Binding]:
    _, _, run = house.start("talk")
    other, _ = house.bind("b")
    service = house.service()
    service.rebind(service.find_run(run), other.key, ELSEWHERE)
    return run, other


def paused(house: House, _patch: Any) -> tuple[str, Binding]:
    binding, _, run = house.start("talk")
    grammar.command(binding, "pause")
    return run, binding


def owner_gone(house: House, _patch: Any) -> tuple[str, Binding]:
    binding, _, run = house.start("talk")
    house.sql("UPDATE attachments SET started = '1'")
    return run, binding


def detached(house: House, _patch: Any) -> tuple[str, Binding]:
    binding, _, run = house.start("talk")
    binding.close()
    return run, binding


def asked_pause(house: House, _patch: Any) -> tuple[str, Binding]:
    return _asked(house, "pause")


def asked_cancel(house: House, _patch: Any) -> tuple[str, Binding]:
    return _asked(house, "cancel")


def asked_resume(house: House, _patch: Any) -> tuple[str, Binding]:
    return _asked(house, "resume")


def _asked(house: House, what: str) -> tuple[str, Binding]:
    binding, _, run = house.start("talk")
    service = house.service()
    service.ask(service.find_run(run), ELSEWHERE, what)
    return run, binding


def person_turn(house: House, _patch: Any) -> tuple[str, Binding]:
    binding, talk, run = house.start("talk")
    binding.turn_started(talk.last.id)
    talk.busy = True
    binding.turn_ended("completed", "")
    binding.turn_started("user")
    talk.busy = False
    binding.turn_ended("completed", "")
    return run, binding


def unsaid(house: House, _patch: Any) -> tuple[str, Binding]:
    house.write("talk")
    binding, _ = house.bind(talk=Talk(busy=True))
    actor = Actor(Who.PERSON, binding.key)
    return binding.start("talk", actor=actor, launch_id="1").data["run"], binding


def other_version(house: House, _patch: Any) -> tuple[str, Binding]:
    binding, _, run = house.start("talk")
    house.sql("UPDATE runs SET segue = '9.9.0'")
    house.sql("UPDATE definitions SET snapshot = '{\"format\": 99}'")
    binding.close()
    return run, binding


PARKED: dict[str, Callable[[House, pytest.MonkeyPatch], tuple[str, Binding]]] = {
    f.__name__: f
    for f in (
        queued, wait, checkpoint, human, missing_submission, turn_failed, no_progress,
        prompt_too_long, cannot_load, effect_alive, effect_unknown, reopened, rebound, paused,
        owner_gone, detached, asked_pause, asked_cancel, asked_resume, person_turn, unsaid,
        other_version,
    )
}  # fmt: skip


def test_d8_every_reason_of_the_table_is_tried_here() -> None:
    assert set(PARKED) == set(WHY)


@pytest.mark.parametrize("reason", PARKED)
def test_d8_why_names_the_reason_and_a_next_step_that_works(
    reason: str, house: House, segue: Callable[..., Done], monkeypatch: pytest.MonkeyPatch
) -> None:
    run, binding = PARKED[reason](house, monkeypatch)
    told = segue("why", run, "--json").json()
    assert (told["reason"], told["session"]) == (reason, str(binding.key))
    assert told["explanation"]
    shown = segue("why", run)
    assert (shown.code, shown.err) == (0, "")
    assert reason in shown.out
    assert "next" in shown.out
    assert segue("status", run, "--json").json()["reason"] == reason
    before = segue("show", run, "--json") if reason != "other_version" else None
    assert before is None or before.json()["reason"] == reason
    _works(told, segue, reason)


def _works(told: dict[str, Any], segue: Callable[..., Done], reason: str) -> None:
    """Run the next step as it stands."""
    command = told["next_step"]
    if command is None:
        assert told["todo"].startswith(("nothing: ", "open session pi:a"))
        return
    command = command.replace("done|again|failed", "again")
    words = shlex.split(command)[1:]
    if reason == "human":
        refused = segue(*words)  # tests/plugin/test_answer.py answers it at a terminal
        assert refused.code == 1
        assert "terminal" in refused.err
        return
    words += {"checkpoint": ['{"word": "yes"}'], "prompt_too_long": ["--yes"]}.get(reason, [])
    words += ["--yes"] if reason in ("other_version", "asked_cancel") else []
    done = segue(*words, "--wait", "0")
    assert done.code == 0, done.err


HERE = [
    reason
    for reason, why in WHY.items()
    if why.here and (not why.by_itself or reason in ("queued", "wait"))
]
"""Where something is to be typed in the session; two of them only when nobody is attached."""


@pytest.mark.parametrize("reason", HERE)
def test_d8_what_is_to_be_typed_in_the_session_works_there(
    reason: str, house: House, segue: Callable[..., Done], monkeypatch: pytest.MonkeyPatch
) -> None:
    run, binding = PARKED[reason](house, monkeypatch)
    told = segue("why", run, "--json").json()
    if told["attached"] is False:
        binding, _ = house.bind()
    typed = told["next_here"].removeprefix("/workflow ")
    for words, real in (
        ("done|again|failed", "again"),
        ("CHOICE", "approve"),
        ("ANSWER", '{"word": "yes"}'),
    ):
        typed = typed.replace(words, real)
    assert grammar.command(binding, typed).text
    after = segue("why", run, "--json").json()
    assert after["status"] in ("running", "cancelled", "completed") or after["reason"] in (
        "wait",  # it was asleep before, and sleeps on
        "no_progress",  # dies again: its code is what is wrong
        "effect_unknown",  # the same effect may be asked about again
        "cannot_load",  # what is missing is missing still
    )


def test_a_parked_run_tells_what_the_model_said(
    house: House, segue: Callable[..., Done], monkeypatch: pytest.MonkeyPatch
) -> None:
    """T7: what the model did say is kept and shown."""
    run, _ = missing_submission(house, monkeypatch)
    assert "it said: I looked at it" in segue("why", run, "--json").json()["detail"]


def test_c6_a_run_of_another_version_says_so_and_can_be_ended_where_it_stands(
    house: House, segue: Callable[..., Done], monkeypatch: pytest.MonkeyPatch
) -> None:
    """P-C6: created by another version is told with the action, and blocks no session."""
    run, _ = other_version(house, monkeypatch)
    told = segue("why", run).out
    assert "9.9.0" in told
    assert f"segue cancel {run}" in told
    refused = segue("resume", run)
    assert refused.code == 1
    assert "9.9.0" in refused.err
    binding, _ = house.bind()
    assert grammar.command(binding, "status").data["reason"] == "other_version"
    grammar.command(binding, "cancel")
    assert segue("why", run, "--json").json()["status"] == "cancelled"


def test_what_has_ended_has_no_next_step(house: House, segue: Callable[..., Done]) -> None:
    binding, _, run = house.start("talk")
    grammar.command(binding, "cancel")
    told = segue("why", run, "--json").json()
    assert (told["next_step"], told["todo"]) == (None, "nothing: it has ended")


def test_a_rehearsals_next_step_is_the_terminals(segue: Callable[..., Done], kept: str) -> None:
    told = segue("why", kept, "--json").json()
    assert (told["reason"], told["next_here"]) == ("detached", None)
    assert told["next_step"] == f"segue resume {kept}"


def test_a_wait_tells_how_long_it_has_left(
    house: House, segue: Callable[..., Done], monkeypatch: pytest.MonkeyPatch
) -> None:
    run, _ = wait(house, monkeypatch)
    assert re.search(r"left +(1 h|59 min|60 min)", segue("why", run).out)
    assert segue("why", run, "--json").json()["until"].endswith("Z")


def test_a_run_that_is_worked_on_has_no_reason(house: House, segue: Callable[..., Done]) -> None:
    binding, talk, run = house.start("talk")
    binding.turn_started(talk.last.id)
    told = segue("why", run, "--json").json()
    assert (told["status"], told["reason"], told["todo"]) == (
        "running",
        None,
        "nothing: it is worked on",
    )
