"""Messages on their way: offered, pushed, taken along, come in, lost (T2, T5, T6)."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from .errors import Conflict
from .hosts import Door, Evidence, Offer, Taken
from .store import messages, requests, runs
from .store.values import text_of

if TYPE_CHECKING:
    from .binding import Binding
    from .hosts import Report
    from .store.messages import Message
    from .store.store import Write


def deliver(binding: Binding) -> None:
    """Push what is due, in order, while the session is idle."""
    if binding.host is None or Door.PUSH not in binding.capabilities.doors:
        return
    for _ in range(100):
        if binding.turn is not None or binding.stopping:
            return
        if not _look(binding):
            return
        message = _next(binding)
        if message is None:
            return
        if not _push(binding, message):
            return


def _look(binding: Binding) -> bool:
    """Scan the conversation before offering; False when nothing may be said now.

    `held` then says that something waits to be said: it is looked again, since a host may
    tell of a turn's end before it is idle, and of nothing after that (P-B8).
    """
    binding.held = False
    if binding.capabilities.evidence is not Evidence.ENTRY and binding.reported and binding.idle:
        return True
    listed = pending(binding)
    if not listed:
        return False
    binding.held = True
    assert binding.host is not None
    try:
        report = binding.host.report()
    except OSError:
        return False
    binding.reported = True
    binding.idle = report.idle
    _apply(binding, report, listed)
    binding.held = not (report.idle and not report.queued)
    return not binding.held


def _next(binding: Binding) -> Message | None:
    """Give the first message that may be offered now."""
    listed = pending(binding)
    if any(m.state == "offered" and m.is_intent for m in listed):
        return None  # one at a time: what was offered has to be settled first
    return next((m for m in listed if m.state == "pending" and _due(binding, m)), None)


def _due(binding: Binding, message: Message) -> bool:
    """Whether a pending message may be said as its run stands."""
    if message.kind == "notice":
        return True
    if message.kind == "fallback":
        return not binding.hushed
    runner = binding.runner
    if runner is None or runner.request is None or runner.request.pk != message.request:
        return False
    return runner.run.state == "running" or runner.run.reason == "checkpoint"


def _push(binding: Binding, message: Message) -> bool:
    assert binding.host is not None
    call = binding.service.ids.new("call")
    if not _offered(binding, message, Door.PUSH, call):
        return True
    try:
        taken = binding.host.offer(_offer(binding, message))
    except OSError:
        return False  # unknown: the next report, or a later event, tells
    with binding.store.single() as db:
        now = messages.get(db, message.id)
    if now is None or now.state != "offered":
        return True  # the host told of it while it took it
    if taken is Taken.BUSY:
        binding.idle = False
        binding.held = True
        move(binding, now, "pending", "not_taken")
        return False
    if taken is Taken.SEEN or binding.capabilities.evidence is Evidence.RECEIPT:
        move(binding, now, "seen", "seen")
    return not message.is_intent


def _offered(binding: Binding, message: Message, door: Door, call: str) -> bool:
    """Write down that a door gets the message, before it does."""
    try:
        with message_write(binding) as tx:
            messages.offer(tx, message, door, call)
            tx.event("offered", {"message": message.id, "door": str(door)}, session=message.session)
    except Conflict:
        return False
    binding.given.add(message.id)
    return True


def _offer(binding: Binding, message: Message) -> Offer:
    with binding.store.read() as db:
        said = text_of(db, message.text)
        request = None if message.request is None else requests.by_pk(db, message.request)
        run = None if message.run is None else runs.by_pk(db, message.run)
    details = {
        "kind": message.kind,
        "workflow": None if run is None else run.workflow,
        "run": None if run is None else run.id,
        "request": None if request is None else request.id,
        "step": message.step,
    }
    return Offer(message.id, message.kind, said, message.is_intent, details)


def take(binding: Binding, door: Door, call: str) -> Offer | None:
    """Give the next turn intent to a door that carries it along with an answer."""
    with binding.driving():
        if door not in binding.capabilities.doors:
            return None
        _scan(binding)
        message = next(
            (
                m
                for m in pending(binding)
                if m.is_intent and m.state == "pending" and _due(binding, m)
            ),
            None,
        )
        if message is None or _waits_for_proof(binding):
            return None
        if not _offered(binding, message, door, call):
            return None
        offer = _offer(binding, message)
        if binding.turn is not None and door is Door.IN_TURN:
            with binding.store.single() as db:
                binding.turn.message = messages.get(db, message.id)
            start_clock(binding, message)
        return offer


def _scan(binding: Binding) -> None:
    """Look for what was offered before, where the host can show it."""
    pushes = binding.host is not None and Door.PUSH in binding.capabilities.doors
    if pushes and binding.capabilities.evidence is Evidence.ENTRY and _waits_for_proof(binding):
        assert binding.host is not None
        with suppress(OSError):
            _apply(binding, binding.host.report(), pending(binding))


def _waits_for_proof(binding: Binding) -> bool:
    return any(m.state == "offered" and m.is_intent for m in pending(binding))


def notices(binding: Binding) -> tuple[str, ...]:
    """Give, and mark as seen, the notices of a host that cannot be pushed to."""
    with binding.driving():
        if binding.host is not None and Door.PUSH in binding.capabilities.doors:
            return ()
        made = []
        for message in pending(binding):
            if message.kind == "notice" and message.state == "pending":
                made.append(_offer(binding, message).text)
                move(binding, message, "seen", "seen")
        return tuple(made)


def hear(binding: Binding, report: Report) -> None:
    """Take a report: what it proves, and whether the conversation is idle."""
    binding.reported = True
    binding.idle = report.idle
    if report.idle and binding.turn is not None and binding.turn.recalled:
        binding.turn = None
    _apply(binding, report, pending(binding))


def _apply(binding: Binding, report: Report, listed: list[Message]) -> None:
    """Learn from a report: it proves something only of the messages it is about (T6)."""
    for message in listed:
        if message.id in report.entries:
            move(binding, message, "seen", "seen")
        elif (
            message.state == "offered"
            and report.full
            and report.idle
            and message.id not in report.queued
        ):
            lost(binding, message)


def lost(binding: Binding, message: Message) -> None:
    """An offered message is not in the conversation: deliverable again, or void."""
    void = message.is_intent and message.kind != "fallback" and not is_open(binding, message)
    if message.is_intent and any(m.is_intent and m.state == "pending" for m in pending(binding)):
        void = True  # what came after it says the same: exactly one is deliverable (T6)
    move(binding, message, "cancelled" if void else "pending", "lost")


def seen(binding: Binding, message_id: str) -> None:
    """A message has come into the conversation."""
    with binding.driving():
        message = find(binding, message_id)
        if message is not None and message.state in ("pending", "offered"):
            move(binding, message, "seen", "seen")


def pending(binding: Binding) -> list[Message]:
    with binding.store.single() as db:
        return messages.open_(db, binding.authority.session)


def find(binding: Binding, message_id: str) -> Message | None:
    with binding.store.single() as db:
        message = messages.get(db, message_id)
    if message is None or message.session != binding.authority.session:
        return None  # a fork has its parent's messages copied into it (O6)
    return message


def is_open(binding: Binding, message: Message) -> bool:
    runner = binding.runner
    request = None if runner is None else runner.request
    return request is not None and request.pk == message.request


def start_clock(binding: Binding, message: Message) -> None:
    runner = binding.runner
    if runner is not None and is_open(binding, message):
        runner.start_clock()


def move(binding: Binding, message: Message, state: str, why: str) -> None:
    with suppress(Conflict), message_write(binding) as tx:
        messages.move(tx, message, state)
        tx.event(why, {"message": message.id}, session=message.session)


def message_write(binding: Binding, *, lasting: bool = True) -> Write:
    return binding.store.write(binding.runner_actor, None, binding.authority, lasting=lasting)
