"""Workflows in a real Pi's conversation (issue: Pi), on both supported versions."""

from __future__ import annotations

import threading

import pytest

from .lane import NODES, Lane, dialog, good
from .provider import Break, Hang, Move, Say, Seen, Use, open_step, submit, text_of

pytestmark = pytest.mark.e2e


def _status(item: dict[str, object], word: str) -> bool:
    return item.get("method") == "setStatus" and word in str(item.get("statusText", ""))


def test_six_steps_run_in_the_conversation_that_was_there_before(lane: Lane) -> None:
    """T2: each step is the next turn of the same session, with all that was said before."""
    pi = lane.pi()
    pi.settled(pi.prompt("remember the number 42"))
    since = pi.prompt("/workflow chain the parser")
    pi.wait(lambda item: _status(item, "completed"), since)
    lane.said_once()
    assert lane.run_state() == ("completed", None)
    assert any("number 42" in t for t in lane.provider.seen[-1].texts("user"))
    assert "workflow" in lane.provider.seen[-1].tools
    assert pi.close() == 0


def test_a_wrong_answer_is_rejected_with_what_was_expected_and_the_right_one_goes_on(
    lane: Lane,
) -> None:
    wrong: list[str] = []

    def script(seen: Seen) -> Move:
        step = open_step(seen)
        if step and step[0] == "two" and not wrong:
            wrong.append("sent")
            return submit(seen, {"word": "typo"})
        if seen.last["role"] == "tool" and "Not accepted" in text_of(seen.last):
            wrong.append(text_of(seen.last))
            return submit(seen, {"words": "said two"})
        return good(seen)

    lane.script = script
    pi = lane.pi()
    since = pi.prompt("/workflow chain the parser")
    pi.wait(lambda item: _status(item, "completed"), since)
    assert "words: expected" in wrong[1]
    lane.said_once()


def test_a_model_that_never_submits_is_reminded_twice_and_then_the_run_waits(lane: Lane) -> None:
    """T7, P-I5: a visible wait, never a stall."""
    lane.script = lambda _seen: Say("I would rather talk about it")
    pi = lane.pi()
    since = pi.prompt("/workflow chain the parser")
    pi.wait(lambda item: _status(item, "missing_submission"), since)
    assert lane.run_state() == ("waiting", "missing_submission")
    assert lane.rows(
        "SELECT kind, count(*) FROM messages WHERE kind <> 'notice' GROUP BY kind"
    ) == [
        ("reminder", 2),
        ("step", 1),
    ]
    (detail,) = lane.rows("SELECT detail FROM runs")[0]
    assert "I would rather talk about it" in detail


def test_a_provider_error_parks_the_run_and_resume_goes_on(lane: Lane) -> None:
    """T7: no reminder after a provider error."""
    broken = [True]

    def script(seen: Seen) -> Move:
        step = open_step(seen)
        return Break(400) if broken[0] and step and step[0] == "three" else good(seen)

    lane.script = script
    pi = lane.pi()
    since = pi.prompt("/workflow chain the parser")
    pi.wait(lambda item: _status(item, "turn_failed"), since)
    assert lane.run_state() == ("waiting", "turn_failed")
    broken[0] = False
    since = pi.prompt("/workflow resume")
    pi.wait(lambda item: _status(item, "completed"), since)
    assert lane.run_state() == ("completed", None)
    assert [n for n, _ in lane.rows("SELECT node, visit FROM attempts ORDER BY step")] == list(
        NODES
    )


def test_escape_in_a_step_pauses_and_nothing_is_said_until_resume(lane: Lane) -> None:
    """T4: a person's stop makes no turn."""
    thinking = threading.Event()
    held = [True]

    def script(seen: Seen) -> Move:
        step = open_step(seen)
        if held[0] and step and step[0] == "two" and seen.last["role"] != "tool":
            return Hang(thinking)
        return good(seen)

    lane.script = script
    pi = lane.pi()
    since = pi.prompt("/workflow chain the parser")
    lane.provider.wait(3)
    pi.ask("abort")
    pi.wait(lambda item: _status(item, "paused"), since)
    held[0] = False
    thinking.set()
    assert lane.run_state()[0] == "paused"
    count = len(lane.provider.seen)
    pi.settled(pi.prompt("just a question"))
    assert len(lane.provider.seen) == count + 1
    since = pi.prompt("/workflow resume")
    pi.wait(lambda item: _status(item, "completed"), since)
    assert lane.run_state() == ("completed", None)


@pytest.mark.parametrize("node", NODES)
def test_pi_killed_in_a_step_loses_and_repeats_nothing(lane: Lane, node: str) -> None:
    """D2, T11: after `--continue` the run waits for the person, then goes on where it stood."""
    thinking = threading.Event()
    held = [True]

    def script(seen: Seen) -> Move:
        step = open_step(seen)
        if held[0] and step and step[0] == node and seen.last["role"] != "tool":
            return Hang(thinking)
        return good(seen)

    lane.script = script
    pi = lane.pi()
    pi.settled(pi.prompt("hello"))  # Pi writes a session's file with its first reply (pitfall 8)
    pi.prompt("/workflow chain the parser")
    lane.provider.wait(NODES.index(node) * 2 + 2)
    session = pi.session()
    pi.kill()
    held[0] = False
    thinking.set()
    done = lane.rows("SELECT node FROM attempts WHERE state = 'ok' ORDER BY step")
    again = lane.pi("--continue")
    assert again.session() == session
    assert lane.run_state() == ("waiting", "reopened")
    since = again.prompt("/workflow resume")
    again.wait(lambda item: _status(item, "completed"), since)
    assert lane.rows("SELECT node FROM attempts WHERE state = 'ok' ORDER BY step") == [
        (name,) for name in NODES
    ]
    assert done == [(name,) for name in NODES[: NODES.index(node)]]


@pytest.mark.parametrize("what", ["server", "worker"])
def test_a_killed_server_or_worker_is_replaced_and_the_run_goes_on(lane: Lane, what: str) -> None:
    """T11: a restarted server of the same instance just goes on; D6 for a worker."""
    thinking = threading.Event()

    def script(seen: Seen) -> Move:
        step = open_step(seen)
        if not thinking.is_set() and step and step[0] == "three" and seen.last["role"] != "tool":
            return Hang(thinking, submit(seen, {"words": "said three"}))
        return good(seen)

    lane.script = script
    pi = lane.pi()
    since = pi.prompt("/workflow chain the parser")
    lane.provider.wait(5)
    mark = "lsp" if what == "server" else "engine.worker"
    victims = [p for p in lane.servers(pi) if mark in " ".join(p.cmdline())]
    assert victims
    for process in victims:
        process.kill()
    thinking.set()
    at = pi.wait(lambda item: _status(item, "completed") or _status(item, "turn_failed"), since)
    if _status(pi.said[at - 1], "turn_failed"):
        # The turn ended in the very moment in which nobody listened: a person says go on (D8).
        since = pi.prompt("/workflow resume")
        pi.wait(lambda item: _status(item, "completed"), since)
    assert lane.run_state() == ("completed", None)
    accepted = lane.rows("SELECT node, visit FROM attempts WHERE state = 'ok' ORDER BY step")
    assert accepted == [(node, 1) for node in NODES]


def test_another_session_of_the_project_stays_silent(lane: Lane) -> None:
    """P-A1: session B sees nothing of a run that belongs to A."""
    other = lane.pi("--session-id", "session-b")
    pi = lane.pi("--session-id", "session-a")
    since = pi.prompt("/workflow chain the parser")
    pi.wait(lambda item: _status(item, "completed"), since)
    other.settled(other.prompt("hello"))
    last = lane.provider.seen[-1]
    assert not any("STEP" in text for text in last.texts("user"))
    assert not [i for i in other.said if i.get("method") == "setStatus" and i.get("statusText")]


def test_a_second_pi_on_the_session_takes_over_and_the_first_steps_aside(lane: Lane) -> None:
    """O7: one attachment a session; the run waits for the person there (T11)."""
    thinking = threading.Event()

    def script(seen: Seen) -> Move:
        step = open_step(seen)
        if not thinking.is_set() and step and step[0] == "two" and seen.last["role"] != "tool":
            return Hang(thinking)
        return good(seen)

    lane.script = script
    first = lane.pi("--session-id", "shared")
    first.prompt("/workflow chain the parser")
    lane.provider.wait(3)
    second = lane.pi("--session-id", "shared")
    assert lane.run_state() == ("waiting", "reopened")
    thinking.set()
    first.settled(0)
    assert lane.run_state() == ("waiting", "reopened")
    since = second.prompt("/workflow resume")
    second.wait(lambda item: _status(item, "completed"), since)
    assert lane.run_state() == ("completed", None)


def test_a_persons_prompt_during_a_step_is_answered_and_the_step_is_not_lost(lane: Lane) -> None:
    """T5: nothing overtakes what a person has queued."""
    thinking = threading.Event()

    def script(seen: Seen) -> Move:
        step = open_step(seen)
        if not thinking.is_set() and step and step[0] == "two" and seen.last["role"] != "tool":
            return Hang(thinking, submit(seen, {"words": "said two"}))
        return good(seen)

    lane.script = script
    pi = lane.pi()
    since = pi.prompt("/workflow chain the parser")
    lane.provider.wait(3)
    pi.ask("follow_up", message="and what about the tests?")
    thinking.set()
    pi.wait(lambda item: _status(item, "completed"), since)
    assert any("what about the tests" in t for t in lane.provider.seen[-1].texts("user"))
    lane.said_once()


def test_a_person_decides_in_pis_own_dialog(lane: Lane) -> None:
    """H1: the model is not asked; provenance is the person's."""
    pi = lane.pi()
    since = pi.prompt("/workflow gate")
    at = pi.wait(lambda item: dialog(item, "select"), since)
    asked = pi.said[at - 1]
    assert asked["options"] == ["ship", "hold"]
    assert lane.run_state() == ("waiting", "human")
    assert not lane.provider.seen
    pi.answer(asked, value="ship")
    pi.wait(lambda item: _status(item, "completed"), since)
    assert any("because ship by human" in t for t in lane.provider.seen[0].texts("user"))


def test_the_models_tool_cannot_answer_for_the_person(lane: Lane) -> None:
    """H1, P-K1: refused, and the run still waits."""
    tried: list[str] = []

    def script(seen: Seen) -> Move:
        if seen.last["role"] == "tool":
            tried.append(text_of(seen.last))
            return Say("I could not")
        (request,) = lane.rows("SELECT id FROM requests")[0]
        return Use({"action": "answer", "request_id": request, "output": {"choice": "ship"}})

    lane.script = script
    pi = lane.pi()
    since = pi.prompt("/workflow gate")
    at = pi.wait(lambda item: dialog(item, "select"), since)
    pi.answer(pi.said[at - 1], cancelled=True)
    pi.settled(pi.prompt("please ship it yourself"))
    assert "for a person alone" in tried[0]
    assert lane.run_state() == ("waiting", "human")


def test_print_mode_runs_a_workflow_to_its_end(lane: Lane) -> None:
    """Pitfall 6: print mode exits when handlers return, so the handler waits."""
    done = lane.once("-p")
    assert done.returncode == 0, done.stderr
    assert lane.run_state() == ("completed", None)
    lane.said_once()


def test_a_compaction_in_a_step_says_the_step_again_once(lane: Lane) -> None:
    """T9, pitfall 7: the entry is still on the branch, but the model does not see it."""
    thinking = threading.Event()

    def script(seen: Seen) -> Move:
        if any("summar" in t.lower() and "<conversation>" in t for t in seen.texts("user")):
            return Say("## Goal\nkeep going")
        step = open_step(seen)
        if not thinking.is_set() and step and step[0] == "two" and seen.last["role"] != "tool":
            return Say("let me think about it")
        return good(seen)

    lane.script = script
    pi = lane.pi()
    since = pi.prompt("/workflow chain the parser")
    pi.wait(lambda item: _status(item, "missing_submission"), since)
    thinking.set()
    pi.ask("compact")
    since = pi.prompt("/workflow resume")
    pi.wait(lambda item: _status(item, "completed"), since)
    assert lane.run_state() == ("completed", None)
    accepted = lane.rows("SELECT node FROM attempts WHERE state = 'ok' ORDER BY step")
    assert accepted == [(name,) for name in NODES]
