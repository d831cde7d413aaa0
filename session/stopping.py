"""A run is held, ended or let go on because somebody asks for it (D9, T4, T10)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import calling, limits, moves, recovery
from .engine.state import TERMINAL, RunEvent, RunState, StepEvent, StepState, move_run, move_step
from .errors import Conflict, SegueError
from .standing import Parked, Standing
from .store import requests, runs, steps

if TYPE_CHECKING:
    from collections.abc import Callable

    from .runner import Runner
    from .store.tx import Tx


def carry_out_cancel(runner: Runner) -> Standing:
    asker = runner.run.asked_by or "a person"
    return cancel(runner, f"cancelled by {asker}", by_model=asker.startswith("model"))


def park(runner: Runner, reason: str, detail: str, **changes: Any) -> None:
    """Leave the run waiting with a stored reason (D8); it holds no worker then."""

    def body(tx: Tx) -> None:
        tx.change(
            state=move_run(runner.run.state, RunEvent.PARK),
            reason=reason,
            detail=detail[: limits.REASON_CHARS],
            **changes,
        )
        if runner.says is not None:
            runner.says.parked(tx, runner.run, reason, detail)
        tx.event("parked", {"reason": reason, "detail": detail[: limits.REASON_CHARS]})

    runner.write(body)
    runner.evaluator.kill()


def pause(runner: Runner) -> Standing:
    """Hold the run after the step under way; nothing is lost and nothing runs on."""

    def body(tx: Tx) -> None:
        tx.change(
            state=move_run(runner.run.state, RunEvent.PAUSE),
            reason="paused",
            asked=None,
            asked_by=None,
        )
        tx.event("paused")

    runner.write(body)
    runner.evaluator.kill()
    return Standing("parked", runner.run, runner.attempt)


def cancel(runner: Runner, reason: str = "cancelled", *, by_model: bool = False) -> Standing:
    """End the run: kill what it runs, record it, withdraw what it asked (D9).

    A person's cancel makes no turn (T4); the model's own is followed by a fallback (T10).
    """
    runner.evaluator.kill()
    attempt = runner.attempt
    if attempt is not None:
        recovery.end_group(runner.store, attempt)

    def body(tx: Tx) -> None:
        if attempt is not None:
            state = move_step(attempt.state, StepEvent.CANCEL)
            steps.end(tx, attempt, state, None, reason, attempt.active_ms)
            steps.end_effect(tx, attempt, "ambiguous", {"killed": True})
        requests.cancel_open(tx, runner.run.pk)
        if runner.says is not None:
            if attempt is not None:
                runner.says.closed(tx, runner.run, attempt)
            if by_model:
                path = "" if attempt is None else attempt.node
                runner.says.fallback(tx, runner.run, "agent_cancelled", reason, path)
        runs.end(tx, move_run(runner.run.state, RunEvent.CANCEL), reason)
        tx.event("cancelled", {"reason": reason})

    runner.write(body)
    runner.request = None
    runner.attempt = None
    return Standing("ended", runner.run)


def carry_out_asked(runner: Runner) -> None:
    """Pause or cancel as was stored, without driving on: for an asker whose owner is gone."""
    if runner.run.asked == "cancel":
        carry_out_cancel(runner)
    else:
        runner.heed_pause()


def claim(runner: Runner) -> None:
    """Take up a run that was queued for this session."""

    def body(tx: Tx) -> None:
        tx.change(state=move_run(runner.run.state, RunEvent.CLAIM))
        tx.event("claimed", {"workflow": runner.run.workflow})

    runner.write(body)


def resume(
    runner: Runner, asker: str = "a person", say: Callable[[Tx], None] | None = None
) -> None:
    """Let a parked or paused run go on where it stands; a running one just hears of it."""
    if runner.run.state in TERMINAL:
        return
    if runner.run.state == RunState.AMBIGUOUS:
        raise Conflict(f"run {runner.run.id} is ambiguous: {runner.run.detail}")
    attempt = runner.attempt
    asleep = attempt is not None and attempt.state == StepState.SLEEPING
    person = runner.request is not None and runner.request.kind in ("checkpoint", "human")

    def body(tx: Tx) -> None:
        if runner.run.state == RunState.RUNNING:
            pass
        elif asleep or person:
            reason = "wait" if asleep else runner.request.kind if runner.request else None
            tx.change(state=move_run(runner.run.state, RunEvent.PARK), reason=reason)
        else:
            tx.change(state=move_run(runner.run.state, RunEvent.RESUME), reason=None)
        tx.change(detail=None, worker_deaths=0, asked=None, asked_by=None)
        if say is not None:
            say(tx)
        tx.event("resumed", {"by": asker})

    runner.write(body)


def settle(runner: Runner, how: str, output: Any = None) -> None:
    """Say what became of an effect that a crash left unknown."""
    if runner.run.state != RunState.AMBIGUOUS or runner.attempt is None:
        raise Conflict(f"run {runner.run.id} is {runner.run.state}: no effect of it is unknown")
    node = runner.definition.node(runner.attempt.node)
    if how == "again":
        recovery.retry(runner, node, runner.attempt, "a person said: again")
    elif how == "failed":
        moves.finish(runner, StepEvent.FAIL, reason="a person said that the effect failed")
    else:
        try:
            reply = calling.call(runner, node, runner.attempt, "fake", value=output)
        except Parked as error:
            raise SegueError(f"run {runner.run.id} waits: {runner.run.detail}") from error
        if "ok" not in reply:
            raise SegueError(f"--output does not fit: {reply.get('rejected') or reply}")
        moves.finish(runner, StepEvent.FINISH, output=reply["ok"], receipt={"provenance": "human"})
