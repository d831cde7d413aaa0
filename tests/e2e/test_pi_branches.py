"""Copies of a conversation, and a conversation that is cut short, in a real Pi."""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING

import pytest

from .lane import NODES, Lane, good
from .provider import Hang, Move, Say, Seen, open_step, submit, text_of

if TYPE_CHECKING:
    from .pi_rpc import Pi

pytestmark = pytest.mark.e2e


def shows(pi: Pi, word: str, since: int = 0) -> int:
    return pi.wait(
        lambda item: item.get("method") == "setStatus" and word in str(item.get("statusText", "")),
        since,
    )


def test_a_clone_and_a_fork_own_nothing_of_the_run_whose_messages_they_hold(lane: Lane) -> None:
    """O6, O3: the model there has the request's id before its eyes, and is refused by name."""
    thinking = threading.Event()
    copied = False
    refused: list[str] = []

    def script(seen: Seen) -> Move:
        if copied:
            if seen.last["role"] != "tool":
                return submit(seen, {"words": "from the copy"})
            refused.append(text_of(seen.last))
            return Say("I may not")
        step = open_step(seen)
        if step and step[0] == "three" and seen.last["role"] != "tool" and not thinking.is_set():
            return Hang(thinking)
        return good(seen)

    lane.script = script
    pi = lane.pi()
    pi.settled(pi.prompt("hello"))
    state = pi.ask("get_state")["data"]
    origin, file = state["sessionId"], state["sessionFile"]
    pi.prompt("/workflow chain the parser")
    lane.provider.wait(6)
    pi.ask("abort")
    shows(pi, "paused")
    thinking.set()
    copied = True
    for way in ("clone", "fork"):
        if way == "fork":
            pi.ask("switch_session", sessionPath=file)
            last = pi.ask("get_fork_messages")["data"]["messages"][-1]
            assert pi.ask("fork", entryId=last["entryId"])["success"]
        else:
            assert pi.ask("clone")["success"]
        assert pi.session() != origin
        since = pi.prompt("/workflow status")
        at = pi.wait(lambda item: item.get("method") == "notify", since)
        assert "no run" in pi.said[at - 1]["message"].lower(), pi.said[at - 1]
        if way == "clone":  # a fork from the first prompt holds no step yet
            pi.settled(pi.prompt("go on with the step"))
            assert "not_origin" in refused[0] or origin in refused[0], refused
    assert lane.run_state()[0] == "paused"
    assert len(lane.rows("SELECT id FROM runs")) == 1
    copied = False
    pi.ask("switch_session", sessionPath=file)
    since = pi.prompt("/workflow resume")
    shows(pi, "completed", since)
    accepted = lane.rows("SELECT node FROM attempts WHERE state = 'ok' ORDER BY step")
    assert accepted == [(name,) for name in NODES]


def test_a_compaction_of_pis_own_in_the_middle_of_an_open_step_says_it_again_once(
    lane: Lane,
) -> None:
    """T9: the model did not answer yet, Pi makes room, and the contract is there again."""
    settings = lane.home / ".pi" / "agent" / "settings.json"
    quiet = json.loads(settings.read_text("utf-8"))
    quiet["compaction"] = {"enabled": True, "reserveTokens": 16_000, "keepRecentTokens": 1}
    settings.write_text(json.dumps(quiet), "utf-8")
    full = [False]

    def script(seen: Seen) -> Move:
        if "workflow" not in seen.tools:  # Pi asks for a summary
            return Say("## Goal\nkeep going")
        step = open_step(seen)
        if not full[0] and step and step[0] == "two" and seen.last["role"] != "tool":
            full[0] = True
            return Say("so much to think about. " * 400, tokens=127_000)
        return good(seen)

    lane.script = script
    pi = lane.pi()
    pi.settled(pi.prompt("hello " * 400))
    since = pi.prompt("/workflow chain the parser")
    shows(pi, "completed", since)
    kinds = dict(lane.rows("SELECT kind, count(*) FROM messages GROUP BY kind"))
    assert lane.rows("SELECT count(*) FROM events WHERE kind = 'compacted'") == [(1,)]
    assert kinds.get("restated") == 1, kinds
    accepted = lane.rows("SELECT node FROM attempts WHERE state = 'ok' ORDER BY step")
    assert accepted == [(name,) for name in NODES]
    again = [n for n, _ in lane.provider.steps() if n == "two"]
    assert again == ["two"], "the same request, said again"
