"""What a runner does with each kind of node."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from . import calling, limits, moves, recovery
from .canonical import compact
from .engine.state import RunEvent, StepEvent, move_run, move_step
from .standing import Parked
from .store import requests, steps

if TYPE_CHECKING:
    from collections.abc import Callable

    from .process import ProcessIdentity
    from .runner import Runner
    from .store.records import Attempt
    from .store.tx import Tx
    from .workflow.snapshot import NodeDef

_KINDS: Final = {"agent": "output", "assistant": "reply", "checkpoint": "checkpoint"}


def _compute(runner: Runner, node: NodeDef, attempt: Attempt) -> None:
    reply = calling.call(runner, node, attempt, "compute")
    if "ok" in reply:
        moves.finish(runner, StepEvent.FINISH, output=reply["ok"])
    else:
        moves.failed(runner, reply)


def _notify(runner: Runner, node: NodeDef, attempt: Attempt) -> None:
    reply = calling.call(runner, node, attempt, "prompt")
    if "ok" in reply:
        text = reply["ok"]
        moves.finish(
            runner, StepEvent.FINISH, output=compact(text), told=("set", node.path, text), note=text
        )
    else:
        moves.failed(runner, reply)


def _wait(runner: Runner, node: NodeDef, attempt: Attempt) -> None:
    reply = calling.call(runner, node, attempt, "wait")
    if "ok" not in reply:
        moves.failed(runner, reply)
        return
    asked = reply["ok"]
    wake_at = asked.get("until")
    if wake_at is None:
        wake_at = attempt.started_at + int(asked["seconds"] * 1000)
    state = move_step(attempt.state, StepEvent.SLEEP)

    def body(tx: Tx) -> None:
        steps.move(tx, attempt, state, wake_at)
        tx.change(state=move_run(runner.run.state, RunEvent.PARK), reason="wait")
        tx.event("sleeping", {"step": attempt.step, "until": wake_at})

    runner.write(body)
    runner.reread()


def _ask(runner: Runner, node: NodeDef, attempt: Attempt) -> None:
    reply = calling.call(runner, node, attempt, "prompt")
    if "too_long" in reply:
        runner.park(
            "prompt_too_long",
            f"the prompt of '{node.path}' has {reply['too_long']:,} characters, at most"
            f" {limits.PROMPT_CHARS:,} are said: shorten it with ctx.excerpt",
        )
        raise Parked
    if "ok" not in reply:
        moves.failed(runner, reply)
        return
    text: str = reply["ok"]
    limit = calling.limit(runner, node, attempt)
    kind = "human" if node.human else _KINDS[node.kind]
    person = node.kind == "checkpoint"
    deadline = runner.clock.now() + int(limit * 1000) if person and limit is not None else None
    state = move_step(attempt.state, StepEvent.ASK)

    def body(tx: Tx) -> None:
        request_id = runner.ids.new("req")
        runner.request = requests.open_(tx, attempt, request_id, kind, text, deadline)
        steps.move(tx, attempt, state)
        if runner.says is not None:
            runner.says.asked(tx, runner.run, node, attempt, runner.request, text)
        if person:
            tx.change(state=move_run(runner.run.state, RunEvent.PARK), reason=kind)
        tx.event("asked", {"step": attempt.step, "request": request_id, "kind": kind})

    # Nobody is asked before the message is offered, and that write lasts.
    runner.write(body, lasting=person)
    runner.attempt = attempt.moved(state)
    runner.asked_text = text


def _act(runner: Runner, node: NodeDef, attempt: Attempt) -> None:
    runner.look()  # nothing is set going that somebody has cancelled already
    runner.heed_cancel()
    with runner.store.single() as db:
        begun = steps.effect(db, attempt.run, attempt.step)
    if begun is not None:
        recovery.recover(runner, node, attempt)
        return
    fake = None if runner.fake is None else runner.fake(node, attempt)
    calling.ready(runner)
    process = "{}" if fake is not None else process_json(runner.evaluator.identity())

    def body(tx: Tx) -> None:
        steps.begin_effect(
            tx, attempt, calling.effect_key(attempt.node, attempt.visit), node.effect, process
        )
        tx.event("effect", {"step": attempt.step, "recovery": node.effect})

    runner.write(body)
    do = "shell" if node.kind == "shell" else "compute"
    if fake is not None and node.kind == "action":
        do = "fake"
    reply = calling.call(runner, node, attempt, do, **(fake or {}))
    if "ok" in reply:
        moves.finish(runner, StepEvent.FINISH, output=reply["ok"], receipt=reply.get("receipt"))
    else:
        moves.failed(runner, reply)


def process_json(identity: ProcessIdentity | None) -> str:
    """A process identity as an effect's row keeps it."""
    if identity is None:
        return "{}"
    return compact(
        {
            "boot_id": identity.boot_id,
            "pid_ns": identity.pid_ns,
            "pid": identity.pid,
            "start": identity.start,
        }
    )


HANDLERS: Final[dict[str, Callable[[Runner, NodeDef, Attempt], None]]] = {
    "agent": _ask,
    "assistant": _ask,
    "checkpoint": _ask,
    "compute": _compute,
    "mount": _compute,
    "notify": _notify,
    "wait": _wait,
    "action": _act,
    "shell": _act,
}
