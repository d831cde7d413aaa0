"""The host's turns: what one that began or ended means for the step that is open (T4, T7, D8)."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from . import delivering, limits, restating
from .engine.state import TERMINAL
from .errors import Conflict
from .hosts import Door, Evidence
from .messages import REMINDERS
from .ownership import Actor, Who
from .replies import Reply
from .store import messages

if TYPE_CHECKING:
    from .binding import Binding
    from .hosts import Offer
    from .runner import Runner
    from .store.messages import Message

_REPRESENTABLE: Final = ("step", "reminder", "resumed", "restated")


@dataclass(slots=True)
class Turn:
    """The turn that runs now: the message that started it, or a person."""

    message: Message | None
    aborting: bool = False
    """Segue itself has asked the host to stop it."""
    recalled: bool = False
    """It began before this process did; whether it still runs, the host has to say."""


def started(binding: Binding, cause: str | None) -> None:
    """A turn has begun: by message id, by `"user"`, or None where the host cannot tell."""
    with binding.driving():
        binding.idle = False
        binding.hushed = False
        before = binding.turn
        message = None if cause in (None, "user") else delivering.find(binding, str(cause))
        if cause == "user":
            _user_spoke(binding, before)
        if cause is None:
            message = _unnamed(binding)
        binding.turn = Turn(message)
        binding.broke_in = message is None
        if message is not None:
            if message.state in ("pending", "offered"):
                delivering.move(binding, message, "seen", "seen")
            _turn_is(binding, message, "started")
            delivering.start_clock(binding, message)
    if cause == "user":
        binding.nudge()  # it may have paused the run


def _user_spoke(binding: Binding, before: Turn | None) -> None:
    """A person's own prompt: no reminder after it (T7); a hidden stop pauses (T4)."""
    runner = binding.runner
    for message in delivering.pending(binding):
        if message.state == "offered" and binding.capabilities.evidence is not Evidence.ENTRY:
            delivering.lost(binding, message)
    if runner is None:
        return
    hidden = not binding.capabilities.sees_abort
    if hidden and before is not None and before.message is not None and not before.aborting:
        _turn_is(binding, before.message, "aborted")
        runner.rest()
        pause(binding)
    if runner.attempt is not None:
        step = runner.attempt.step
        with delivering.message_write(binding) as tx:
            messages.withdraw(tx, runner.run.pk, step, ("reminder",))
            tx.event("user_prompt", session=binding.authority.session)


def _unnamed(binding: Binding) -> Message | None:
    """A turn that no person began is that of the message whose turn has not begun yet."""
    offered = _only_offered(binding)
    if offered is not None:
        return offered
    with binding.store.single() as db:
        last = messages.heard_last(db, binding.authority.session)
    return None if last is None or last.turn is not None else last


def _only_offered(binding: Binding) -> Message | None:
    """Give the message that is offered, where there is one."""
    offered = [m for m in delivering.pending(binding) if m.state == "offered" and m.is_intent]
    return offered[0] if len(offered) == 1 else None


def _turn_is(binding: Binding, message: Message, outcome: str) -> None:
    # What a host tells of a turn: with the power the turn goes, too, and its host tells anew.
    with delivering.message_write(binding, lasting=False) as tx:
        messages.turn(tx, message, outcome)
        tx.event("turn", {"message": message.id, "turn": outcome}, session=message.session)


def ended(
    binding: Binding, outcome: str, text: str = "", *, error: str = "", call: str = ""
) -> Reply:
    """A turn has ended and the host is idle again; the answer may carry the next message."""
    with binding.driving():
        turn, binding.turn, binding.idle = binding.turn, None, True
        # Until the answer is given, what is due goes along with it, not by the push door.
        binding.stopping = Door.AT_STOP in binding.capabilities.doors
        binding.hushed = outcome == "aborted" and not (turn is not None and turn.aborting)
        if turn is None or turn.recalled:
            _unproved(binding)
        message = _only_offered(binding) if turn is None else turn.message
        if message is not None:
            message = delivering.find(binding, message.id)
        if message is not None:
            if message.state == "offered":
                delivering.move(binding, message, "seen", "seen")
            _turn_is(binding, message, outcome)
        runner = binding.looked()
        if runner is not None:
            runner.rest()
            _after_turn(binding, turn, message, outcome, text, error)
    binding.nudge(wait=True)
    try:
        return Reply("", {}, _take_at_stop(binding, outcome, call), binding.notices())
    finally:
        binding.stopping = False


def _unproved(binding: Binding) -> None:
    """What a process that died gave along with a tool's answer may never have arrived."""
    if binding.capabilities.evidence is Evidence.ENTRY:
        return
    for message in delivering.pending(binding):
        if message.state == "offered" and message.door == Door.IN_TURN:
            delivering.lost(binding, message)


def _take_at_stop(binding: Binding, outcome: str, call: str) -> Offer | None:
    """A turn that a person stopped is not followed by another (T4)."""
    return None if outcome == "aborted" else binding.take(Door.AT_STOP, call)


def _after_turn(
    binding: Binding,
    turn: Turn | None,
    message: Message | None,
    outcome: str,
    text: str,
    error: str,
) -> None:
    runner = binding.runner
    assert runner is not None
    if outcome == "aborted":
        if turn is None or not turn.aborting:
            pause(binding)
        return
    ours = (
        message is not None
        and message.kind in _REPRESENTABLE
        and delivering.is_open(binding, message)
    )
    if not ours or runner.run.state != "running" or runner.request is None:
        return
    if outcome == "failed":
        runner.park("turn_failed", f"the model's turn broke off: {error or 'provider error'}")
        return
    if runner.request.kind == "reply" and text.strip():
        with suppress(Conflict):  # it parked meanwhile, or its time was over
            if runner.submit(runner.request.id, text).accepted:
                return
        if runner.request is None or runner.run.state != "running":
            return
    _remind(binding, runner, text)


def make_good(binding: Binding) -> None:
    """Do what a process that died left undone after a turn: no run just stands there (D8)."""
    runner = binding.runner
    if runner is None or runner.request is None or runner.run.state != "running":
        return
    if binding.turn is not None or binding.broke_in or not (binding.idle and binding.reported):
        return
    with binding.store.single() as db:
        listed = messages.of_step(db, runner.run.pk, runner.request.step)
    said = [message for message in listed if message.is_intent]
    if not said or said[-1].state != "seen" or any(m.state == "offered" for m in said):
        return  # it is being said, or a person has broken in
    if said[-1].id in binding.given:
        return  # its turn is about to begin
    match said[-1].turn:
        case "completed":
            _remind(binding, runner, "")
        case "aborted":
            pause(binding)
        case outcome:
            how = "broke off" if outcome == "failed" else "ended while nobody was there"
            runner.park("turn_failed", f"the model's turn {how}: the step is open still")


def _remind(binding: Binding, runner: Runner, said: str) -> None:
    """The turn ended well and nothing was submitted (T7)."""
    attempt, request = runner.attempt, runner.request
    assert attempt is not None
    assert request is not None
    with binding.store.single() as db:
        listed = messages.of_step(db, runner.run.pk, attempt.step)
    if any(m.state == "pending" and m.is_intent for m in listed):
        return  # a restated step is due: it is said instead
    count = sum(1 for m in listed if m.kind == "reminder")
    if count < REMINDERS:
        restating.intent(binding, "reminder", f"turn:{count + 1}")
        return
    kept = said.strip()[: limits.REASON_CHARS // 2]
    detail = f"the model ended its turns at '{attempt.node}' without an answer"
    if kept:
        detail += f"; it said: {kept}"
    if runner.routes_failure():
        runner.fail(f"missing_submission: {detail}")
    else:
        runner.park("missing_submission", detail)


def pause(binding: Binding) -> None:
    """Store the person's pause; it is carried out between steps, like anybody's."""
    runner = binding.runner
    if runner is None or runner.run.state in TERMINAL or runner.run.state == "paused":
        return
    with binding.calls:
        run = binding.service.find_run(runner.run.id)
        binding.service.ask(run, Actor(Who.PERSON, binding.key), "pause")
