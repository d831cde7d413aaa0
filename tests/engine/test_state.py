"""The three tables: every listed move is made, every other one raises and changes nothing."""

from __future__ import annotations

import copy

import pytest

from segue.session.engine import state
from segue.session.engine.state import (
    REQUEST,
    RUN,
    STEP,
    TERMINAL,
    RequestEvent,
    RequestState,
    RunEvent,
    RunState,
    StepEvent,
    StepState,
    move_request,
    move_run,
    move_step,
)
from segue.session.errors import Illegal

ENDED = {RunState.COMPLETED, RunState.FAILED, RunState.TIMED_OUT, RunState.CANCELLED}


@pytest.mark.parametrize("here", RunState)
@pytest.mark.parametrize("event", RunEvent)
def test_a_run_moves_as_listed_and_not_otherwise(here: RunState, event: RunEvent) -> None:
    before = copy.deepcopy(RUN)
    if event in RUN[here]:
        assert move_run(here, event) is RUN[here][event]
    else:
        with pytest.raises(Illegal, match=f"a run that is {here} cannot {event}"):
            move_run(here, event)
    assert before == RUN


@pytest.mark.parametrize("here", StepState)
@pytest.mark.parametrize("event", StepEvent)
def test_a_try_moves_as_listed_and_not_otherwise(here: StepState, event: StepEvent) -> None:
    before = copy.deepcopy(STEP)
    if event in STEP[here]:
        assert move_step(here, event) is STEP[here][event]
    else:
        with pytest.raises(Illegal, match=f"a step that is {here} cannot {event}"):
            move_step(here, event)
    assert before == STEP


@pytest.mark.parametrize("here", RequestState)
@pytest.mark.parametrize("event", RequestEvent)
def test_a_request_moves_as_listed_and_not_otherwise(
    here: RequestState, event: RequestEvent
) -> None:
    if event in REQUEST[here]:
        assert move_request(here, event) is REQUEST[here][event]
    else:
        with pytest.raises(Illegal, match=f"a request that is {here} cannot {event}"):
            move_request(here, event)


def test_every_state_has_a_row_and_the_ended_ones_are_empty() -> None:
    assert set(RUN) == set(RunState)
    assert set(STEP) == set(StepState)
    assert set(REQUEST) == set(RequestState)
    assert set(TERMINAL) == ENDED


def test_d7_the_statuses_that_views_show_are_a_closed_set() -> None:
    assert {str(s) for s in RunState} == {
        "queued", "running", "waiting", "paused", "completed", "failed", "timed_out",
        "cancelled", "ambiguous",
    }  # fmt: skip


def test_a_person_can_end_every_run_that_has_not_ended() -> None:
    assert all(RUN[s][RunEvent.CANCEL] is RunState.CANCELLED for s in RunState if s not in ENDED)


def test_every_state_can_be_reached_and_left() -> None:
    reached = {RunState.QUEUED}
    while more := {t for s in reached for t in RUN[s].values()} - reached:
        reached |= more
    assert reached == set(RunState)


def test_nobody_resumes_an_ambiguous_run_past_its_unknown_effect() -> None:
    with pytest.raises(Illegal):
        move_run("ambiguous", RunEvent.RESUME)


def test_a_word_that_is_no_state_is_a_bug_and_not_a_move() -> None:
    with pytest.raises(ValueError, match="parked"):
        state.move_run("parked", RunEvent.STEP)
