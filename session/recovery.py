"""What may be done about an effect that a crash left unknown: its author has declared it.

Nothing runs again while the process group that was making the effect still lives (D9).
"""

from __future__ import annotations

import json
import os
import signal
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from .engine.state import RunEvent, StepEvent, move_run, move_step
from .process import ProcessIdentity, boot_id, group_lives, is_gone, of
from .store import steps

if TYPE_CHECKING:
    from .runner import Runner
    from .store.records import Attempt
    from .store.store import Store
    from .store.tx import Tx
    from .workflow.snapshot import NodeDef

_GONE_SECONDS = 5.0
"""A killed group is gone in milliseconds, unless the kernel itself is stuck."""


def recover(runner: Runner, node: NodeDef, attempt: Attempt) -> None:
    """Go on after an interrupted effect: run it again, or leave it to a person."""
    with runner.store.single() as db:
        found = steps.effect(db, attempt.run, attempt.step)
    if found is not None and not _ended(json.loads(found[3])):
        runner.park(
            "effect_alive",
            f"'{node.path}' may still be running (process group of an earlier worker):"
            " end it, then resume",
        )
        return
    if node.effect == "idempotent":
        retry(runner, node, attempt, "interrupted")
    else:
        _lose(runner, node, attempt)


def end_group(store: Store, attempt: Attempt) -> None:
    """Kill what is still making a try's effect, where an earlier owner left it (D9)."""
    with store.single() as db:
        found = steps.effect(db, attempt.run, attempt.step)
    if found is not None and found[2] == "applying":
        _ended(json.loads(found[3]))


def retry(runner: Runner, node: NodeDef, attempt: Attempt, reason: str) -> None:
    """Try the same visit again, under the same effect key."""
    state = move_step(attempt.state, StepEvent.FAIL)
    made: list[Attempt] = []

    def body(tx: Tx) -> None:
        steps.end(tx, attempt, state, None, reason, attempt.active_ms)
        if node.effect:
            steps.end_effect(tx, attempt, "ambiguous", {"reason": reason})
        step = runner.run.step + 1
        made[:] = [
            steps.begin(tx, attempt.run, step, attempt.node, attempt.visit, attempt.attempt + 1)
        ]
        tx.change(
            step=step, state=move_run(runner.run.state, RunEvent.STEP), reason=None, detail=None
        )
        tx.event("retry", {"step": step, "node": attempt.node, "attempt": attempt.attempt + 1})

    runner.write(body)
    runner.attempt = made[0]


def _lose(runner: Runner, node: NodeDef, attempt: Attempt) -> None:
    state = move_step(attempt.state, StepEvent.LOSE_EFFECT)
    detail = (
        f"'{node.path}' was interrupted and nobody knows whether it took effect. Look, then say"
        f" it: segue resume {runner.run.id} --effect done|again|failed"
    )

    def body(tx: Tx) -> None:
        steps.move(tx, attempt, state)
        tx.change(
            state=move_run(runner.run.state, RunEvent.LOSE_EFFECT),
            reason="effect_unknown",
            detail=detail,
        )
        tx.event("effect_unknown", {"step": attempt.step, "node": attempt.node})

    runner.write(body)
    runner.evaluator.kill()
    runner.reread()


def _ended(process: dict[str, Any]) -> bool:
    """Whether the group is gone; one of ours that lives is killed first."""
    if not process:
        return True
    identity = ProcessIdentity(**process)
    gone = is_gone(identity)
    if gone is False:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(identity.pid, signal.SIGKILL)
        deadline = time.monotonic() + _GONE_SECONDS
        while (gone := is_gone(identity)) is False and time.monotonic() < deadline:
            time.sleep(0.02)
    return gone is True and not _has_members(identity)


def _has_members(identity: ProcessIdentity) -> bool:
    """Whether a group has outlived its leader; its number is not given again before it ends.

    Members of a number that was given again are somebody else's, so nothing is killed here.
    """
    if of(identity.pid) is not None or identity.boot_id != boot_id():
        return False  # another process has the number: the group had ended before
    return group_lives(identity.pid)
