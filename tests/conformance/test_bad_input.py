"""Whatever is sent: a named error with the current state, and no row changes.

Only the bounded text of a rejected answer is kept (issue 4, "Bad input").
"""

from __future__ import annotations

import sqlite3
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

from segue.session import limits
from segue.session.store import store as stores
from segue.testing.conformance.flows import ANSWERS, CLEAN
from segue.testing.conformance.model import Good
from segue.testing.conformance.scenarios.turns import request_of

if TYPE_CHECKING:
    from segue.testing.conformance import World

CHANGED_BY_A_REJECTION = {"requests", "rejections", "runs", "events", "blobs"}


def changed(before: dict[str, Any], after: dict[str, Any]) -> set[str]:
    return {table for table in before if before[table] != after[table]}


def deep(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


@pytest.fixture
def asked(world: World) -> tuple[World, Any, str]:
    """A run whose step waits for an answer."""
    host = world.host("a")
    host.command("review")
    return world, host, request_of(host)


@pytest.mark.parametrize(
    "arguments",
    [
        None, "status", 7, [], {}, {"action": None}, {"action": "decide"}, {"action": ["status"]},
        {"action": "submit"}, {"action": "submit", "output": CLEAN},
        {"action": "submit", "request_id": None, "output": CLEAN},
        {"action": "submit", "request_id": 7, "output": CLEAN},
        {"action": "submit", "request_id": "", "output": CLEAN},
        {"action": "submit", "request_id": "req_0", "output": CLEAN},
        {"action": "submit", "request_id": "x" * 100_000, "output": CLEAN},
        {"action": "submit", "request_id": "req_1\n; DROP TABLE runs", "output": CLEAN},
        {"action": "answer", "request_id": "req_0", "output": CLEAN},
        {"action": "update", "request_id": "req_0", "completed": 1},
        {"action": "update", "request_id": "req_1", "completed": "much"},
        {"action": "status", "run": "run-nobody"},
        {"action": "read", "reference": "output:nobody"},
        {"action": "read", "reference": "../../etc/passwd"},
        {"action": "start", "workflow": "nobody"},
        {"action": "start", "workflow": "../review"},
        {"action": "start", "workflow": "review", "text": "a", "input": {}},
        {"action": "start", "workflow": "review", "input": {"unknown": 1}},
        {"action": "status", "extra": 1},
    ],
    ids=str,
)  # fmt: skip
def test_a_wrong_call_gets_a_named_error_and_writes_nothing(
    asked: tuple[World, Any, str], arguments: object
) -> None:
    world, host, request = asked
    before = world.dump()
    said = host.tool_raw(arguments)
    assert not said.ok
    assert said.code in {
        "usage", "not_found", "not_origin", "conflict", "workflow_error", "input_invalid",
        "session_busy",
    }  # fmt: skip
    assert said.data["state"]["request_id"] == request
    assert said.data["state"]["status"] == "running"
    assert len(said.text) < 2_000
    assert world.dump() == before


def test_used_and_foreign_requests_are_told_what_state_they_are_in(world: World) -> None:
    """O3, P-B2: used, foreign and closed request ids, each with the state it is in."""
    server = world.server()
    a, b = world.host("a", server=server), world.host("b", server=server)
    a.command("review")
    used = request_of(a)
    Good(dict(ANSWERS)).turn(a)
    b.command("review")
    before = world.dump()
    for host, request, code in ((a, used, "conflict"), (a, request_of(b), "not_origin")):
        said = host.tool(action="submit", request_id=request, output=CLEAN)
        assert (said.ok, said.code) == (False, code)
        assert said.data["state"]["run"] == world.live("a")
    assert world.dump() == before


@pytest.mark.parametrize(
    ("output", "part"),
    [
        ({"route": "clean", "reason": "x" * 10_000_000}, "1,000,000"),
        ("x" * 10_000_000, "1,000,000"),
        (float("nan"), "JSON"),
        ({"route": "clean", "reason": float("inf")}, "JSON"),
        ('{"route": "clean", "reason": NaN}', "NaN"),
        (deep(70), "deep"),
        ("[" * 5_000 + "]" * 5_000, "deep"),
        ('{"route": "clean", "reason": "a", "reason": "b"}', "twice"),
        ("", "JSON"),
        ("It is fine.", "JSON"),
        ([], "object"),
        (None, "object"),
        ({"route": "clean"}, "reason"),
        ({"route": "dirty", "reason": ""}, "route"),
        ({"route": "clean", "reason": "\ud800"}, "character"),
    ],
    ids=lambda value: str(value)[:30].encode("ascii", "replace").decode(),
)
def test_an_answer_that_does_not_fit_is_kept_bounded_and_changes_nothing_else(
    asked: tuple[World, Any, str], output: Any, part: str
) -> None:
    """P-I6, P-I8: what was wrong is said, and what was sent is kept."""
    world, host, request = asked
    before = world.dump()
    said = host.tool(action="submit", request_id=request, output=output)
    assert (said.ok, said.code) == (False, "rejected")
    assert part.lower() in said.text.lower()
    assert "stays open" in said.text
    assert len(said.text) < 2_000
    after = world.dump()
    assert changed(before, after) <= CHANGED_BY_A_REJECTION
    kept = world.one("SELECT max(length(data)) FROM blobs WHERE pk > ?", len(before["blobs"]))
    assert (kept or 0) <= limits.REJECTED_CHARS
    assert world.request() == request
    assert world.state() == ("running", None)
    assert world.one("SELECT rejected FROM requests") == 1
    assert host.tool(action="submit", request_id=request, output=CLEAN).ok


def test_rejected_texts_are_kept_up_to_a_number(asked: tuple[World, Any, str]) -> None:
    """S4: a thousand wrong answers do not fill the disk."""
    world, host, request = asked
    for number in range(limits.REJECTIONS_KEPT + 5):
        host.tool(action="submit", request_id=request, output=f"no {number}")
    assert world.one("SELECT count(*) FROM rejections") == limits.REJECTIONS_KEPT
    assert world.one("SELECT rejected FROM requests") == limits.REJECTIONS_KEPT + 5


def test_an_answer_after_a_cancel_changes_nothing(asked: tuple[World, Any, str]) -> None:
    """T4, D9: what was cancelled stays so."""
    world, host, request = asked
    world.cancel(host)
    before = world.dump()
    said = host.tool(action="submit", request_id=request, output=CLEAN)
    assert (said.ok, said.code) == (False, "conflict")
    assert "cancelled" in said.text
    assert world.dump() == before


def test_of_two_answers_at_once_the_first_is_taken(asked: tuple[World, Any, str]) -> None:
    """T2: two threads submit; one is accepted and the other is told so."""
    world, host, request = asked
    line, start, said = host.line, threading.Barrier(2), []

    def submit(output: Any, call: str) -> None:
        start.wait()
        arguments = {"action": "submit", "request_id": request, "output": output}
        said.append(line.tool(arguments, call))

    threads = [
        threading.Thread(target=submit, args=({**CLEAN, "reason": name}, name)) for name in "xy"
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answer.ok for answer in said) == [False, True]
    assert {answer.code for answer in said} <= {"", "conflict"}
    assert world.trail()[0] == ("inspect", 1, 1, "ok")
    assert len(world.trail()) == 2


def impatient(host: Any) -> None:
    """Let the host's connection leave the waiting to Segue."""
    host.line.binding.store.db.execute("PRAGMA busy_timeout = 1")


def test_a_locked_database_is_waited_for(
    asked: tuple[World, Any, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """P-E1, P-E2: another program holds it for six seconds; the caller never sees a lock."""
    world, host, request = asked
    other = sqlite3.connect(world.database, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    clock = [0.0]

    def waits(seconds: float) -> None:
        clock[0] += 0.5 + seconds  # SQLite's own wait and ours
        if clock[0] > 6:
            other.execute("ROLLBACK")
            clock[0] = -1e9

    monkeypatch.setattr(stores, "_STEP_SECONDS", 0.001)
    monkeypatch.setattr(time, "sleep", waits)
    impatient(host)
    assert host.tool(action="submit", request_id=request, output=CLEAN).ok
    assert clock[0] < 0, "it was not locked at all"
    other.close()


def test_a_lock_that_never_ends_is_named(
    asked: tuple[World, Any, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """P-E1: after its patience is over the call says what to look for; nothing is half done."""
    world, host, request = asked
    other = sqlite3.connect(world.database, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    monkeypatch.setattr(stores, "BUSY_SECONDS", 0.0)
    impatient(host)
    before = world.dump()
    said = host.tool(action="submit", request_id=request, output=CLEAN)
    assert (said.ok, said.code) == (False, "state_error")
    assert "another program" in said.text
    other.execute("ROLLBACK")
    other.close()
    assert world.dump() == before
    assert host.tool(action="submit", request_id=request, output=CLEAN).ok
