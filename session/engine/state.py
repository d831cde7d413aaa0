"""The life of a run, of a step and of a request: three literal tables.

Everything that moves a state is in this file. An event that a table does not list for a state
raises `Illegal` and changes nothing. The diagrams in docs/ARCHITECTURE.md are drawn from here.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Final, TypeVar, cast

from ..errors import Illegal

if TYPE_CHECKING:
    from collections.abc import Mapping

S = TypeVar("S", bound=StrEnum)
E = TypeVar("E", bound=StrEnum)


class RunState(StrEnum):
    """What a run can be. The words are also the closed set of statuses that views show (D7)."""

    QUEUED = "queued"
    """Reserved for a session whose attachment has not taken it up yet."""
    RUNNING = "running"
    """A step is being worked on, by a worker or by the model."""
    WAITING = "waiting"
    """Parked with a stored reason; holds no worker."""
    PAUSED = "paused"
    """A person's pause."""
    COMPLETED = "completed"
    FAILED = "failed"
    TIMED_OUT = "timed_out"
    CANCELLED = "cancelled"
    AMBIGUOUS = "ambiguous"
    """A crash left a manual effect unknown; a person says what became of it."""


class RunEvent(StrEnum):
    """What can happen to a run."""

    CLAIM = "claim"
    STEP = "step"
    PARK = "park"
    PAUSE = "pause"
    RESUME = "resume"
    COMPLETE = "complete"
    FAIL = "fail"
    TIME_OUT = "time_out"
    CANCEL = "cancel"
    LOSE_EFFECT = "lose_effect"


class StepState(StrEnum):
    """What one try of a visit can be."""

    RUNNING = "running"
    """Entered: a worker evaluates it."""
    ASKED = "asked"
    """Its request is open."""
    SLEEPING = "sleeping"
    """A `wait` whose time has not come."""
    OK = "ok"
    FAILED = "failed"
    TIMED_OUT = "timed_out"
    CANCELLED = "cancelled"
    AMBIGUOUS = "ambiguous"


class StepEvent(StrEnum):
    """What can happen to a try."""

    ASK = "ask"
    SLEEP = "sleep"
    FINISH = "finish"
    FAIL = "fail"
    TIME_OUT = "time_out"
    CANCEL = "cancel"
    LOSE_EFFECT = "lose_effect"


class RequestState(StrEnum):
    """What a request can be."""

    OPEN = "open"
    ANSWERED = "answered"
    CANCELLED = "cancelled"


class RequestEvent(StrEnum):
    """What can happen to a request."""

    REJECT = "reject"
    ANSWER = "answer"
    CANCEL = "cancel"


_R, _E = RunState, RunEvent
_ENDS: Final = {
    _E.COMPLETE: _R.COMPLETED,
    _E.FAIL: _R.FAILED,
    _E.TIME_OUT: _R.TIMED_OUT,
    _E.CANCEL: _R.CANCELLED,
}
RUN: Final[dict[RunState, dict[RunEvent, RunState]]] = {
    _R.QUEUED: {
        _E.CLAIM: _R.RUNNING,
        _E.PARK: _R.WAITING,
        _E.PAUSE: _R.PAUSED,
        _E.FAIL: _R.FAILED,
        _E.CANCEL: _R.CANCELLED,
    },
    _R.RUNNING: {
        _E.STEP: _R.RUNNING,
        _E.PARK: _R.WAITING,
        _E.PAUSE: _R.PAUSED,
        _E.LOSE_EFFECT: _R.AMBIGUOUS,
        **_ENDS,
    },
    _R.WAITING: {
        _E.STEP: _R.RUNNING,
        _E.PARK: _R.WAITING,
        _E.RESUME: _R.RUNNING,
        _E.PAUSE: _R.PAUSED,
        _E.LOSE_EFFECT: _R.AMBIGUOUS,
        **_ENDS,
    },
    _R.PAUSED: {_E.RESUME: _R.RUNNING, _E.PARK: _R.WAITING, _E.CANCEL: _R.CANCELLED},
    _R.AMBIGUOUS: {
        _E.STEP: _R.RUNNING,
        _E.FAIL: _R.FAILED,
        _E.COMPLETE: _R.COMPLETED,
        _E.CANCEL: _R.CANCELLED,
    },
    _R.COMPLETED: {},
    _R.FAILED: {},
    _R.TIMED_OUT: {},
    _R.CANCELLED: {},
}

_S, _P = StepState, StepEvent
_STEP_ENDS: Final = {
    _P.FINISH: _S.OK,
    _P.FAIL: _S.FAILED,
    _P.TIME_OUT: _S.TIMED_OUT,
    _P.CANCEL: _S.CANCELLED,
}
STEP: Final[dict[StepState, dict[StepEvent, StepState]]] = {
    _S.RUNNING: {
        _P.ASK: _S.ASKED,
        _P.SLEEP: _S.SLEEPING,
        _P.LOSE_EFFECT: _S.AMBIGUOUS,
        **_STEP_ENDS,
    },
    _S.ASKED: {**_STEP_ENDS},
    _S.SLEEPING: {_P.FINISH: _S.OK, _P.CANCEL: _S.CANCELLED},
    _S.AMBIGUOUS: {**_STEP_ENDS},
    _S.OK: {},
    _S.FAILED: {},
    _S.TIMED_OUT: {},
    _S.CANCELLED: {},
}

_Q, _A = RequestState, RequestEvent
REQUEST: Final[dict[RequestState, dict[RequestEvent, RequestState]]] = {
    _Q.OPEN: {_A.REJECT: _Q.OPEN, _A.ANSWER: _Q.ANSWERED, _A.CANCEL: _Q.CANCELLED},
    _Q.ANSWERED: {},
    _Q.CANCELLED: {},
}

_RUN = cast("Mapping[str, Mapping[RunEvent, RunState]]", RUN)
_STEP = cast("Mapping[str, Mapping[StepEvent, StepState]]", STEP)
_REQUEST = cast("Mapping[str, Mapping[RequestEvent, RequestState]]", REQUEST)
TERMINAL: Final = frozenset(state for state, moves in RUN.items() if not moves)


def move_run(state: str, event: RunEvent) -> RunState:
    """Give a run's next state.

    Raises:
        Illegal: The table does not list the event for the state.
    """
    return _move(_RUN, state, event, "run")


def move_step(state: str, event: StepEvent) -> StepState:
    """Give a try's next state; raises as `move_run`."""
    return _move(_STEP, state, event, "step")


def move_request(state: str, event: RequestEvent) -> RequestState:
    """Give a request's next state; raises as `move_run`."""
    return _move(_REQUEST, state, event, "request")


def _move(table: Mapping[str, Mapping[E, S]], state: str, event: E, what: str) -> S:
    """Look a move up: a member is equal to its word, so the word finds it."""
    moves = table.get(state)
    if moves is None:
        raise ValueError(f"{state!r} is no state of a {what}")
    try:
        return moves[event]
    except KeyError:
        raise Illegal(f"a {what} that is {state} cannot {event}") from None
