"""Driving the session's run: taken up, adopted, driven on, shown."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from . import delivering, restating
from .asks import end_unread
from .engine.state import TERMINAL
from .hosts import Door
from .messages import Voice
from .status import readable
from .store import messages, runs, steps
from .turns import Turn
from .view import view

if TYPE_CHECKING:
    from .binding import Binding
    from .engine.child import Worker
    from .store.records import Request, Run


def take_up(binding: Binding, *, reopened: bool) -> None:
    """Find the session's run; in a reopened session it waits for the person (T11)."""
    with binding.store.single() as db:
        run = runs.live_of(db, binding.authority.session)
    if run is not None and not _unreadable(binding, run):
        drive(binding, run)
    if not reopened:
        _recall_turn(binding)
    runner = binding.runner
    if runner is None or run is None:
        return
    goes_on = not reopened or run.asked == "resume"
    if goes_on or runner.definition.on_reopen == "continue":
        if run.state == "queued":
            runner.claim()
        elif not goes_on and runner.run.state == "running":
            restating.say_again(binding, runner, f"reopened:{binding.authority.epoch}")
        return
    if run.state not in ("queued", "running", "waiting"):
        return
    if run.state == "waiting" and run.reason == "reopened":
        return
    done, name = run.steps, run.workflow
    runner.park(
        "reopened",
        f"'{name}' was left with {done} steps entered; /workflow resume goes on where it stood",
    )


def _recall_turn(binding: Binding) -> None:
    """An earlier process of this instance has died: the turn it knew of may still run."""
    with binding.store.single() as db:
        last = messages.heard_last(db, binding.authority.session)
    if last is None or last.turn not in (None, "started"):
        return
    binding.turn = Turn(last, recalled=True)
    if binding.host is not None and Door.PUSH in binding.capabilities.doors:
        with suppress(OSError):
            delivering.hear(binding, binding.host.report())


def _unreadable(binding: Binding, run: Run) -> bool:
    """Whether another version's run stands here: it is shown as that, and can be ended."""
    with binding.store.read() as db:
        if readable(db, run):
            return False
    if run.asked == "cancel":
        end_unread(binding.store, run, binding.authority)
    return True


def drive(binding: Binding, run: Run, worker: Worker | None = None) -> None:
    binding.runner = binding.service.runner(
        run,
        binding.authority,
        worker,
        loaded=worker is not None,
        voice=Voice,
        store=binding.store,
        breathe=binding.breathe,
    )


def drive_on(binding: Binding) -> None:
    _adopt(binding)
    runner = binding.runner
    if runner is None:
        return
    if binding.working:
        return  # another thread drives; it let this one in between two looks
    if binding.looked() is None:
        return
    binding.working = True
    had = runner.request
    try:
        if runner.run.asked == "resume":
            restating.resume(binding, runner, runner.run.asked_by or "a person")
        runner.take_given()
        runner.advance()
    finally:
        binding.working = False
    if had is not None and runner.request is not had and binding.turn is not None:
        _stop_turn_of(binding, had)
    if runner.run.state in TERMINAL:
        runner.close()
        binding.runner = None


def _adopt(binding: Binding) -> None:
    """Take up a run that was queued or rebound here from elsewhere."""
    if binding.runner is not None:
        return
    with binding.store.single() as db:
        run = runs.live_of(db, binding.authority.session)
    if run is None or _unreadable(binding, run):
        return
    drive(binding, run)
    if run.state == "queued":
        assert binding.runner is not None
        binding.runner.claim()


def _stop_turn_of(binding: Binding, request: Request) -> None:
    """A step ended under its own running turn (its time was over): stop that turn (T10)."""
    turn = binding.turn
    if turn is None or turn.message is None or turn.message.request != request.pk:
        return
    with binding.store.single() as db:
        attempt = steps.get(db, request.run, request.step)
    if attempt is None or attempt.state != "timed_out" or turn.aborting:
        return
    turn.aborting = True
    if binding.capabilities.abort and binding.host is not None:
        with suppress(OSError):
            binding.host.abort_turn()


def show(binding: Binding) -> None:
    if binding.host is None:
        return
    with binding.store.read() as db:
        run = runs.shown_of(db, binding.authority.session)
        now = None if run is None else (run.pk, run.revision)
        if now == binding.shown:
            return
        binding.shown = now
        runner = binding.runner
        memory = None
        if runner is not None and (runner.run.pk, runner.run.revision) == now:
            memory = runner.memory
        now_ms = binding.service.clock.now()
        shown = {"run": None} if run is None else view(db, run, now_ms, memory)
    with suppress(OSError):
        binding.host.changed(shown)
