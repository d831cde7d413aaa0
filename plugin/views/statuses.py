"""How each state is drawn: the one place that gives a state its sign and colour."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from segue.session.engine.state import RunState, StepState

if TYPE_CHECKING:
    from .paint import Paint

_RUNS: Final[dict[RunState, tuple[str, str]]] = {
    RunState.QUEUED: ("○", "blue"),
    RunState.RUNNING: ("●", "cyan"),
    RunState.WAITING: ("◔", "yellow"),
    RunState.PAUSED: ("‖", "yellow"),
    RunState.COMPLETED: ("✓", "green"),
    RunState.FAILED: ("✗", "red"),
    RunState.TIMED_OUT: ("✗", "red"),
    RunState.CANCELLED: ("–", "magenta"),
    RunState.AMBIGUOUS: ("?", "red"),
}
_STEPS: Final[dict[StepState, tuple[str, str]]] = {
    StepState.RUNNING: ("●", "cyan"),
    StepState.ASKED: ("◔", "yellow"),
    StepState.SLEEPING: ("◔", "yellow"),
    StepState.OK: ("✓", "green"),
    StepState.FAILED: ("✗", "red"),
    StepState.TIMED_OUT: ("✗", "red"),
    StepState.CANCELLED: ("–", "magenta"),
    StepState.AMBIGUOUS: ("?", "red"),
}


def run_cell(state: str) -> tuple[str, str]:
    """Give a run's status as it is written everywhere, sign and word, and its colour."""
    sign, colour = _RUNS[RunState(state)]
    return f"{sign} {words(state)}", colour


def step_cell(state: str) -> tuple[str, str]:
    """Give a step's outcome as it is written everywhere, and its colour."""
    sign, colour = _STEPS[StepState(state)]
    return f"{sign} {words(state)}", colour


def run_word(paint: Paint, state: str) -> str:
    return paint(*run_cell(state))


def step_sign(paint: Paint, state: str) -> str:
    """Give only the sign of a step's outcome."""
    sign, colour = _STEPS[StepState(state)]
    return paint(sign, colour)


def words(state: str) -> str:
    return state.replace("_", " ")
