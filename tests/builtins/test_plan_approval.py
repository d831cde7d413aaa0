"""plan-approval: a person decides; the model has no way to."""

from __future__ import annotations

import pytest

from segue.builtins._plan import Plan, plan_text
from segue.session.canonical import digest

from .scenes import PLAN, play


def test_continue_stop_and_replan_are_exits_with_the_plan_and_its_digest() -> None:
    for scene, choice in [("continue", "continue"), ("stop", "stop"), ("replan", "replan")]:
        done = play(f"approval-{scene}")
        assert (done.exit, done.output["decision"]) == (choice, choice)
        assert done.output["provenance"] == "human"
        assert done.output["plan_digest"] == digest(done.output["plan"]).hex()


def test_the_person_sees_the_whole_plan_its_digest_and_what_each_word_does() -> None:
    (question,) = play("approval-continue").messages
    assert question.kind == "human"
    assert plan_text(Plan.model_validate(PLAN)) in question.prompt
    for step in PLAN["steps"]:
        assert step["work"] in question.prompt
        assert step["done_when"] in question.prompt
    assert f"Plan digest: {digest(PLAN).hex()}" in question.prompt
    assert [f"{word}: " in question.prompt for word in ("continue", "stop", "replan")] == [True] * 3


def test_replan_needs_words_and_hands_them_on_exactly() -> None:
    done = play("approval-replan")
    assert [answer.accepted for answer in done.answers] == [False, True]
    assert done.output["text"] == 'By day: "9 to 5".'


def test_with_policy_auto_silence_continues_after_ten_minutes_and_is_recorded_as_that() -> None:
    done = play("approval-auto")
    assert (done.exit, done.output["provenance"]) == ("continue", "timeout")
    assert done.skipped["ask"] == pytest.approx(600_000, abs=5_000)
    assert "continues in 10 minutes" in done.message("ask").prompt


def test_with_policy_required_there_is_no_time_limit() -> None:
    assert "Without an answer" not in play("approval-continue").message("ask").prompt


def test_with_policy_skip_nobody_is_asked_and_that_is_recorded() -> None:
    done = play("approval-skip")
    assert (done.exit, done.output["provenance"]) == ("continue", "policy")
    assert done.messages == ()
