"""Calls of the worker for a step, and what its death means (D6)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import limits, moves, recovery
from .canonical import compact
from .engine.budget import Budget
from .engine.child import WorkerDied, WorkerTimedOut
from .errors import LoadFailed
from .standing import Parked
from .store import steps

if TYPE_CHECKING:
    from .runner import Runner
    from .store.records import Attempt
    from .store.tx import Tx
    from .workflow.snapshot import NodeDef


def _message(runner: Runner, do: str, path: str, fresh: int, visit: int) -> dict[str, Any]:
    key = f"{runner.run.id}:{effect_key(path, visit)}"
    return {"do": do, "path": path, "visit": fresh, "key": key}


def call(runner: Runner, node: NodeDef, attempt: Attempt, do: str, **more: Any) -> dict[str, Any]:
    """Make one call for a step; what the worker's death means is decided here (D6)."""
    fresh = runner.memory.fresh.get(node.path, 1)
    message = {**_message(runner, do, node.path, fresh, attempt.visit), **more}
    while True:
        ready(runner)  # loading is not on the step's own time
        budget = _budget_for(runner, node, attempt, do)
        try:
            return runner.evaluator.ask(
                message,
                budget,
                on_progress=runner.progress,
                on_tick=runner.tick,
            )
        except WorkerTimedOut as error:
            return {"timed_out": str(error)}
        except WorkerDied as error:
            _died(runner, error)
            if node.effect and do in ("compute", "shell"):
                recovery.recover(runner, node, attempt)
                raise Parked from error


def _budget_for(runner: Runner, node: NodeDef, attempt: Attempt, do: str) -> Budget:
    if do not in ("compute", "shell", "fake"):
        return Budget(runner.clock, limits.CALLBACK_SECONDS)
    return Budget(runner.clock, limit(runner, node, attempt), attempt.active_ms / 1000)


def limit(runner: Runner, node: NodeDef, attempt: Attempt) -> float | None:
    """Give the step's own time in seconds; one that the author computes is asked for."""
    if node.timeout != "call":
        return node.timeout
    reply = call(runner, node, attempt, "timeout")
    if "ok" not in reply:
        moves.failed(runner, reply)
        raise Parked
    seconds: float | None = reply["ok"]
    return seconds


def _died(runner: Runner, error: WorkerDied) -> None:
    deaths = runner.run.worker_deaths + 1
    runner.evaluator.kill()
    if deaths >= limits.WORKER_DEATHS:
        runner.park("no_progress", str(error), worker_deaths=deaths)
        raise Parked from error

    def body(tx: Tx) -> None:
        tx.change(worker_deaths=deaths)
        tx.event("worker_died", {"detail": str(error)[: limits.REASON_CHARS]})

    runner.write(body)


def progress(runner: Runner, data: dict[str, Any]) -> bool:
    """Keep how far the current step is; False where there were too many reports (S4)."""
    attempt = runner.attempt
    assert attempt is not None
    text = compact(data)
    if len(text) > limits.UPDATE_CHARS or not runner.throttle.let(runner.clock.monotonic()):
        return False

    def body(tx: Tx) -> None:
        steps.update(tx, attempt.run, attempt.step, "progress", text)
        tx.event("progress", {"step": attempt.step})

    runner.write(body, lasting=False)
    if runner.on_progress is not None:
        runner.on_progress(attempt, data)
    return True


def ready(runner: Runner) -> None:
    """Have a worker before its identity is written down."""
    try:
        runner.evaluator.ready(runner.run, runner.memory)
    except LoadFailed as error:
        runner.park("cannot_load", str(error))
        raise Parked from error
    except WorkerTimedOut as error:
        runner.park("cannot_load", f"loading the workflow {error}")
        raise Parked from error
    except WorkerDied as error:
        _died(runner, error)
        ready(runner)


def effect_key(path: str, visit: int) -> str:
    """An effect's key within its run: the full mount path and the visit."""
    return f"{path}#{visit}"
