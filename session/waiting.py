"""What a run waits for, and whose time runs meanwhile: the model's, nobody's, a person's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import answering, calling, moves
from .engine.budget import Budget
from .engine.state import TERMINAL, RunState, StepEvent, StepState
from .standing import Standing
from .store import steps

if TYPE_CHECKING:
    from .runner import Runner
    from .store.records import Request
    from .store.tx import Tx


def standing(runner: Runner) -> Standing | None:
    """Say what the run waits for, or None when there is something to do."""
    run, attempt = runner.run, runner.attempt
    if run.state in TERMINAL:
        runner.close()
        return Standing("ended", run, attempt)
    if attempt is not None and attempt.state == StepState.SLEEPING and run.reason == "wait":
        assert attempt.wake_at is not None
        if runner.clock.now() >= attempt.wake_at:
            moves.finish(runner, StepEvent.FINISH, output="null", told=("set", attempt.node, None))
            return standing(runner)
        return Standing("sleeping", run, attempt, until=attempt.wake_at)
    if runner.request is not None and runner.hears():
        return _asking(runner, runner.request)
    if run.state == RunState.RUNNING:
        return None
    return Standing("parked", run, attempt)


def _asking(runner: Runner, request: Request) -> Standing | None:
    assert runner.attempt is not None
    node = runner.definition.node(runner.attempt.node)
    if runner.budget is None and node.kind != "checkpoint":
        used = runner.attempt.active_ms / 1000
        runner.budget = Budget(runner.clock, calling.limit(runner, node, runner.attempt), used)
    if runner.budget is not None and runner.budget.exceeded():
        moves.finish(runner, StepEvent.TIME_OUT, reason=f"took more than {runner.budget.limit:g} s")
        return standing(runner)
    late = request.deadline is not None and runner.clock.now() >= request.deadline
    if late and node.on_timeout is not None:
        answering.time_out_person(runner, node.on_timeout)
        return standing(runner)
    return Standing(
        "asking", runner.run, runner.attempt, request, runner.text_of(request), request.deadline
    )


def rest(runner: Runner) -> None:
    """The model's turn is over: its time stands still until the next one starts."""
    budget, attempt = runner.budget, runner.attempt
    if budget is None or attempt is None:
        return
    used = int(budget.stop() * 1000)
    if used == attempt.active_ms:
        return

    def body(tx: Tx) -> None:
        steps.used(tx, attempt, used)
        tx.event("turn_ended", {"step": attempt.step, "active_ms": used})

    runner.write(body)
    runner.attempt = attempt._replace(active_ms=used)


def start_clock(runner: Runner) -> None:
    """The model's turn for the open step has begun: its own time runs."""
    if runner.request is None or runner.attempt is None:
        return
    node = runner.definition.node(runner.attempt.node)
    if runner.budget is None and node.kind != "checkpoint":
        used = runner.attempt.active_ms / 1000
        runner.budget = Budget(runner.clock, calling.limit(runner, node, runner.attempt), used)
    if runner.budget is not None:
        runner.budget.start()


def time_is_due(runner: Runner) -> bool:
    """Whether a wait, a person's deadline or a step's own time has run out."""
    attempt, request, now = runner.attempt, runner.request, runner.clock.now()
    if runner.run.state not in (RunState.RUNNING, RunState.WAITING):
        return False
    if attempt is not None and attempt.wake_at is not None and runner.run.reason == "wait":
        return now >= attempt.wake_at
    if request is not None and request.deadline is not None and now >= request.deadline:
        return runner.definition.node(attempt.node).on_timeout is not None if attempt else False
    return runner.budget is not None and runner.budget.exceeded()
