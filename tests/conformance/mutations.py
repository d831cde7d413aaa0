"""One small break of each rule: what to replace in which file, and which tests have to notice."""

from __future__ import annotations

from typing import NamedTuple


class Mutation(NamedTuple):
    """A break of one rule."""

    rule: str
    file: str
    old: str
    new: str
    tests: str
    """Words that select tests of this folder, as for `pytest -k`."""


BIND = "session/binding.py"
DELIVER = "session/delivering.py"
TURNS = "session/turns.py"
SAY = "session/store/messages.py"
RUNS = "session/store/runs.py"
MUTATIONS: tuple[Mutation, ...] = (
    Mutation(
        "O1", "session/sessions.py", "not session_id.strip()", "not session_id", "says_nothing"
    ),
    Mutation(
        "O1", "session/sessions.py", "_UNEXPANDED.search(session_id)", "False", "says_nothing"
    ),
    Mutation(
        "O2",
        "session/store/runs.py",
        "    tx.change(session=session)",
        "    pass",
        "only_a_person_moves",
    ),
    Mutation(
        "O2",
        "session/screens.py",
        '"from": str(run.origin), ',
        "",
        "only_a_person_moves",
    ),
    Mutation(
        "O3",
        "session/ownership.py",
        "actor.session != owner",
        "False",
        "stranger",
    ),
    Mutation(
        "O4",
        RUNS,
        "    busy = live_of(db, session)\n    if busy is not None:\n        raise SessionBusy(f",
        "    busy = live_of(db, session)\n    if busy is None:\n        raise SessionBusy(f",
        "one_run",
    ),
    Mutation("O5", RUNS, "if fact != old\n", "if False\n", "eight_facts or repeated_launch"),
    Mutation(
        "O6",
        DELIVER,
        "message.session != binding.authority.session",
        "False",
        "fork or stranger",
    ),
    Mutation(
        "O7",
        "session/store/store.py",
        "not authority.holds(epoch, token)",
        "False",
        "takes_over",
    ),
    Mutation("O8", RUNS, "if len(rows) > 1:", "if False:", "picked"),
    Mutation(
        "T1",
        "session/messages.py",
        "        cause,\n    ]",
        "        tx_is_not_known(),\n    ]",
        "one_source_event",
    ),
    Mutation(
        "T2",
        DELIVER,
        "if message.id in report.entries:",
        "if False:",
        "arrived or survives",
    ),
    Mutation(
        "T3",
        "session/messages.py",
        "        if new:\n            messages.supersede(tx, run.session, made)",
        "",
        "new_step or compaction",
    ),
    Mutation(
        "T4",
        TURNS,
        "        if turn is None or not turn.aborting:\n            pause(binding)",
        "",
        "stops_makes_no_turn",
    ),
    Mutation(
        "T4",
        TURNS,
        "    hidden = not binding.capabilities.sees_abort",
        "    hidden = False",
        "escape_is_hidden",
    ),
    Mutation("T5", DELIVER, "if not _look(binding):", "if _look(binding) is None:", "overtakes"),
    Mutation(
        "T6",
        DELIVER,
        'message.state == "offered"\n            and report.full',
        'message.state in ("offered", "pending")',
        "lost",
    ),
    Mutation(
        "T7", "session/messages.py", "REMINDERS: Final = 2", "REMINDERS: Final = 3", "two_reminders"
    ),
    Mutation(
        "T7",
        TURNS,
        '    if outcome == "failed":\n        runner.park(',
        '    if outcome == "nothing":\n        runner.park(',
        "provider_error",
    ),
    Mutation(
        "T8",
        SAY,
        "UPDATE messages SET turn = ? WHERE",
        "UPDATE messages SET turn = ?, state = 'pending' WHERE",
        "delivered_all_the_same",
    ),
    Mutation(
        "T9",
        "session/history.py",
        '                restating.intent(binding, "restated", event)',
        "                pass",
        "compaction",
    ),
    Mutation("T10", "session/messages.py", "CHAIN: Final = 2", "CHAIN: Final = 3", "chain"),
    Mutation(
        "T10",
        "session/messages.py",
        'self.fallback(tx, run, _CAUSE[stop.event], stop.reason or "", path)',
        "pass",
        "ends_badly",
    ),
    Mutation("T11", "session/driving.py", "goes_on = not reopened", "goes_on = True", "reopened"),
    Mutation(
        "T12",
        "session/text.py",
        "GUARD = (\n",
        'GUARD = (\n    "Please read all of this with great care before you begin. " * 5 +\n',
        "small",
    ),
    Mutation(
        "D1", "session/store/tx.py", "if self._event is not None:", "if False:", "old_revision"
    ),
    Mutation(
        "D1",
        "session/store/store.py",
        "fetchone()[0] != self._version",
        "fetchone()[0] < 0",
        "moved_schema",
    ),
    Mutation(
        "D2",
        "session/restating.py",
        'runner.resume(asker, _again(binding, runner, f"resume:{runner.run.revision}"))',
        "runner.resume(asker)",
        "reopened or hidden",
    ),
    Mutation(
        "D3", "session/status.py", "gone = is_gone(owner.process)", "gone = False", "dead_owner"
    ),
    Mutation(
        "D4",
        BIND,
        "                attachments.detach(self.store, self.authority)",
        "                self.runner and self.runner.cancel()",
        "handoff",
    ),
    Mutation("D6", "session/limits.py", "WORKER_DEATHS = 2", "WORKER_DEATHS = 5", "dies_twice"),
    Mutation(
        "D7",
        "session/view.py",
        '"status": str(status.word)',
        '"status": "busy"',
        "same_word",
    ),
    Mutation(
        "D8", BIND, "                turns.make_good(self)", "                pass", "survives"
    ),
    Mutation(
        "D9",
        "session/runner.py",
        'if self.run.asked == "cancel" and',
        'if self.run.asked == "never" and',
        "cancel",
    ),
    Mutation(
        "H1",
        "session/ownership.py",
        "_MODEL: Final = frozenset(\n    {\n",
        "_MODEL: Final = frozenset(\n    {\n        Act.ANSWER_HUMAN,\n",
        "agreed",
    ),
    Mutation("H1", "session/replies.py", "if request.kind not in kinds:", "if False:", "approve"),
    Mutation(
        "H2",
        "session/decisions.py",
        "shown is not None and shown != request.shown",
        "False",
        "was_shown",
    ),
    Mutation(
        "H3",
        "session/answering.py",
        '"provenance": "timeout"',
        '"provenance": "human"',
        "without_an_answer",
    ),
)
