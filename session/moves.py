"""Moving on: a step ends and what follows begins, in one write."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from . import limits
from .canonical import loads
from .engine.route import Go, Onward, Stop, needs_output, onward
from .engine.state import (
    RequestEvent,
    RunEvent,
    StepEvent,
    StepState,
    move_request,
    move_run,
    move_step,
)
from .store import requests, runs, steps

if TYPE_CHECKING:
    from .runner import Runner
    from .standing import Receipt
    from .store.records import Attempt, Request
    from .store.tx import Tx
    from .workflow.snapshot import NodeDef

_ENDINGS: Final = {
    StepEvent.FINISH: StepState.OK,
    StepEvent.FAIL: StepState.FAILED,
    StepEvent.TIME_OUT: StepState.TIMED_OUT,
    StepEvent.CANCEL: StepState.CANCELLED,
}
_EFFECTS: Final = {StepEvent.FINISH: "applied", StepEvent.FAIL: "failed"}
"""What is known of an effect by how its step ended; killed half-way, nothing is."""


def enter_first(runner: Runner) -> None:
    path = runner.definition.start

    def body(tx: Tx) -> None:
        _begin(runner, tx, path)
        tx.event("step", {"started": _next_json(runner)})

    runner.write(body)
    runner.attempt = runner.entered
    runner.memory.enter(path)


def _begin(runner: Runner, tx: Tx, path: str) -> None:
    """Enter a node, inside a write. Memory is only touched by `_began`, after the commit."""
    runner.entered = steps.begin(
        tx, runner.run.pk, runner.run.step + 1, path, runner.memory.visits.get(path, 0) + 1, 1
    )
    counted = 0 if runner.definition.node(path).kind == "mount" else 1
    tx.change(
        state=move_run(runner.run.state, RunEvent.STEP),
        reason=None,
        detail=None,
        step=runner.entered.step,
        steps=runner.run.steps + counted,
    )


def _next_json(runner: Runner) -> dict[str, Any]:
    n = runner.entered
    return {"step": n.step, "node": n.node, "visit": n.visit, "attempt": n.attempt}


def finish(
    runner: Runner,
    event: StepEvent,
    *,
    output: str | None = None,
    reason: str | None = None,
    receipt: Any = None,
    answer: tuple[Request, bytes, Receipt] | None = None,
    told: tuple[Any, ...] | None = None,
    trace: str = "",
    note: str = "",
) -> None:
    """End the current step and start what follows, in one write."""
    attempt = runner.attempt
    assert attempt is not None
    outcome = _ENDINGS[event]
    state = move_step(attempt.state, event)
    path = attempt.node
    node = runner.definition.node(path)
    reason = None if reason is None else reason[: limits.REASON_CHARS]
    to = _leads_to(runner, node, outcome, output, reason)
    used = runner.budget.stop() if runner.budget is not None else attempt.active_ms / 1000

    def body(tx: Tx) -> None:
        steps.end(tx, attempt, state, output, reason, int(used * 1000))
        if node.effect:
            steps.end_effect(tx, attempt, _EFFECTS.get(event, "ambiguous"), receipt or {})
        if answer is not None:
            request, key, told_back = answer
            move_request(request.state, RequestEvent.ANSWER)
            requests.answered(tx, request, key, told_back.to_json())
        elif runner.request is not None:
            requests.cancel_open(tx, runner.run.pk)
        ended: dict[str, Any] = {
            "step": attempt.step,
            "node": path,
            "visit": attempt.visit,
            "attempt": attempt.attempt,
            "outcome": str(outcome),
        }
        if reason:
            ended["reason"] = reason
        if trace:
            ended["trace"] = trace
        data: dict[str, Any] = {"ended": ended}
        _say(runner, tx, attempt, to, note)
        if isinstance(to, Go):
            _begin(runner, tx, to.path)
            tx.change(worker_deaths=0)
            data["started"] = _next_json(runner)
        else:
            _end_run(runner, tx, to, output)
            data["run"] = str(to.event)
        tx.event("step", data)

    runner.write(body)
    _ended(runner, attempt, outcome)
    _tell(runner, attempt, outcome, told)
    if isinstance(to, Go):
        runner.attempt = runner.entered
        runner.memory.enter(to.path)
    else:
        runner.attempt = None
    if runner.on_step is not None:
        ended = attempt._replace(state=state, reason=reason, ended_at=runner.run.updated_at)
        runner.on_step(ended, None if output is None else loads(output), receipt)


def _say(runner: Runner, tx: Tx, attempt: Attempt, to: Onward, note: str) -> None:
    if runner.says is None:
        return
    runner.says.closed(tx, runner.run, attempt)
    if note:
        runner.says.noted(tx, runner.run, attempt, note)
    if isinstance(to, Stop):
        runner.says.ended(tx, runner.run, to, attempt.node)


def _leads_to(
    runner: Runner, node: NodeDef, outcome: StepState, output: str | None, reason: str | None
) -> Onward:
    value = loads(output) if output is not None and needs_output(node.edge) else None
    to = onward(runner.definition, node.path, outcome, value, reason)
    most = runner.definition.max_steps
    if (
        isinstance(to, Go)
        and runner.run.steps >= most
        and (runner.definition.node(to.path).kind != "mount")
    ):
        return Stop(RunEvent.FAIL, f"max_steps: {most} steps are done and '{to.path}' was next")
    return to


def _end_run(runner: Runner, tx: Tx, stop: Stop, output: str | None) -> None:
    runs.end(tx, move_run(runner.run.state, stop.event), stop.reason)
    tx.change(exit=stop.exit)
    if stop.event is RunEvent.COMPLETE and output is not None:
        tx.change(output=tx.value(output))


def _tell(
    runner: Runner, attempt: Attempt, outcome: StepState, told: tuple[Any, ...] | None
) -> None:
    """Let the worker know how a step ended; one that dies learns it from the store."""
    path = attempt.node
    if outcome is not StepState.OK:
        runner.evaluator.tell("drop", path)
        return
    if runner.definition.node(path).kind == "mount":
        runner.evaluator.tell("enter", path)
    runner.evaluator.tell(*(told or ("keep", path)))


def _ended(runner: Runner, attempt: Attempt, outcome: StepState) -> None:
    """Bring memory up to date after the commit."""
    path = attempt.node
    runner.memory.ended(path, attempt.step, str(outcome))
    if outcome is StepState.OK and runner.definition.node(path).kind == "mount":
        runner.memory.entered_mount(path)
    runner.request = None
    runner.asked_text = None
    runner.budget = None


def failed(runner: Runner, reply: dict[str, Any]) -> None:
    """End the step as the worker's reply says that it went wrong."""
    receipt = reply.get("receipt")
    if "timed_out" in reply:
        finish(runner, StepEvent.TIME_OUT, reason=reply["timed_out"], receipt=receipt)
        return
    problems = "; ".join(
        f"{p['path']}: expected {p['expected']}; received {p['received']}"
        for p in reply.get("rejected", ())
    )
    reason = reply.get("failed") or reply.get("message") or problems or "no result"
    if "too_long" in reply:
        most = limits.PROMPT_CHARS
        reason = f"the text has {reply['too_long']:,} characters, at most {most:,} are said"
    finish(runner, StepEvent.FAIL, reason=reason, receipt=receipt, trace=reply.get("trace", ""))
