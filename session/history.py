"""What became of the conversation itself: compacted, branched, forked, cleared (T9, O2, O6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import delivering, restating, turns
from . import text as texts
from .messages import message_id
from .ownership import SessionKey
from .store import messages, runs, sessions

if TYPE_CHECKING:
    from .binding import Binding
    from .hosts import Report
    from .store.tx import Tx


def compacted(binding: Binding, event: str) -> None:
    """The conversation was compacted: its open step is said again, once (T9)."""
    with binding.driving():
        with delivering.message_write(binding) as tx:
            sessions.add_lineage(tx, binding.authority.session, "compacted", event)
            tx.event("compacted", {"event": event}, session=binding.authority.session)
        runner = binding.looked()
        if runner is not None and runner.request is not None and runner.attempt is not None:
            with binding.store.single() as db:
                listed = messages.of_step(db, runner.run.pk, runner.attempt.step)
            said = any(m.state in ("seen", "offered") for m in listed if m.is_intent)
            if said and (runner.run.state == "running" or runner.run.reason == "checkpoint"):
                restating.intent(binding, "restated", event)
    binding.nudge()


def branch_moved(binding: Binding, report: Report) -> None:
    """The person went to another branch of the conversation; leaving the step pauses (T4)."""
    with binding.driving():
        runner = binding.looked()
        if runner is not None and runner.run.state == "running" and runner.attempt is not None:
            with binding.store.single() as db:
                listed = messages.of_step(db, runner.run.pk, runner.attempt.step)
            said = [m.id for m in listed if m.is_intent and m.state == "seen"]
            if said and not any(message_id in report.entries for message_id in said):
                turns.pause(binding)
        with delivering.message_write(binding) as tx:
            sessions.add_lineage(tx, binding.authority.session, "moved", "branch")
            tx.event("branch_moved", session=binding.authority.session)
    binding.report(report)


def note_origin(binding: Binding, kind: str, other: str) -> None:
    with binding.driving(), delivering.message_write(binding) as tx:
        sessions.add_lineage(tx, binding.authority.session, kind, other)
        if kind == "cleared":
            _offer_move(binding, tx, other)
        tx.event(kind, {"from": other}, session=binding.authority.session)
    binding.nudge()


def _offer_move(binding: Binding, tx: Tx, other: str) -> None:
    """Tell the person of a run that stays behind: it never follows by itself (O2)."""
    before = sessions.get(tx.db, SessionKey(binding.key.host, other))
    run = None if before is None else runs.live_of(tx.db, before.pk)
    if run is None:
        return
    messages.add(
        tx,
        message_id(run, "notice", "cleared", str(binding.key)),
        binding.authority.session,
        "notice",
        "cleared",
        texts.left_behind(run),
    )
