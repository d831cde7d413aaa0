"""plan-change: planning and approval as one, replanned as the person likes, within reason."""

from __future__ import annotations

from segue.builtins.plan_change import REPLANS, plan_change
from segue.session.canonical import digest

from .scenes import BLOCKED, EXAMPLE, OTHER_PLAN, PLAN, play


def test_an_approved_plan_comes_with_who_approved_it() -> None:
    done = play("change-approved")
    assert (done.exit, done.output["provenance"]) == ("approved", "human")
    assert (done.output["plan"], done.output["replans"]) == (PLAN, 0)
    assert done.output["plan_digest"] == digest(PLAN).hex()
    assert done.output["instructions"] == EXAMPLE["capture_intent"][0]["instructions"]


def test_the_policy_is_handed_on() -> None:
    assert play("change-skip").output["provenance"] == "policy"


def test_a_plan_that_is_sent_back_is_made_again_with_the_persons_exact_words() -> None:
    done = play("change-replanned")
    again = done.message("planning/capture_intent", 2).prompt
    assert "At night only.\n  Not by day." in again
    assert "<previous_plan>" in again
    assert "<previous_plan>" not in done.message("planning/capture_intent", 1).prompt
    assert (done.exit, done.output["plan"], done.output["replans"]) == ("approved", OTHER_PLAN, 1)
    assert OTHER_PLAN["title"] in done.message("approval/ask", 2).prompt


def test_a_stopped_plan_is_told_as_stopped() -> None:
    done = play("change-stopped")
    assert (done.exit, done.output["why"], done.output["plan"]) == ("stopped", "stopped", PLAN)


def test_replanning_is_bounded() -> None:
    done = play("change-used-up")
    assert (done.exit, done.output["why"]) == ("stopped", "replans_used_up")
    assert done.output["text"] == f"Again, {REPLANS}."
    assert done.nodes.count("planning/plan") == REPLANS + 1
    assert len(done.nodes) < plan_change.max_steps


def test_a_blocked_plan_asks_nobody() -> None:
    done = play("change-blocked")
    assert (done.exit, done.output["blocker"]) == ("blocked", BLOCKED["blocker"])
    assert "approval/ask" not in done.nodes


def test_it_is_left_out_of_lists() -> None:
    assert plan_change.mount_only
