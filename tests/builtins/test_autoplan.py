"""autoplan: the user's words carried through, one choice with its reasons, a plan or a blocker."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from segue.builtins._plan import Plan, plan_digest
from segue.builtins._planning import (
    Candidate,
    HolyGrail,
    Intent,
    Selection,
    Solutions,
    selection_problems,
    solution_problems,
)
from segue.builtins.autoplan import PLAN_SECONDS, autoplan
from segue.session.canonical import digest

from .scenes import BLOCKED, DROPPED, EXAMPLE, KEPT, OTHER_PLAN, PLAN, SELECTED, SOLUTIONS, play

INSTRUCTIONS = EXAMPLE["capture_intent"][0]["instructions"]
CANDIDATES = [Candidate.model_validate(each) for each in SOLUTIONS["candidates"]]
IDEAL = HolyGrail.model_validate(EXAMPLE["holy_grail"][0])


def test_a_ready_run_goes_from_the_intent_to_a_plan_with_its_digest() -> None:
    done = play("autoplan-ready")
    assert done.nodes == [
        "capture_intent",
        "frame",
        "solutions",
        "check_solutions",
        "holy_grail",
        "select",
        "check_selection",
        "plan",
        "ready_summary/summary",
        "finished",
    ]
    assert (done.exit, done.output["status"]) == ("ready", "ready")
    assert done.output["plan"] == PLAN
    assert done.output["plan_digest"] == digest(PLAN).hex()
    assert done.output["changed"] is None
    assert done.output["summary"] == EXAMPLE["ready_summary/summary"][0]


def test_a_blocked_run_is_an_exit_with_the_blocker_and_no_failure() -> None:
    done = play("autoplan-blocked")
    assert (done.status, done.exit) == ("completed", "blocked")
    assert done.output["blocker"] == BLOCKED["blocker"]
    assert len(done.output["rejected"]) == 3
    assert "plan" not in done.nodes


@pytest.mark.parametrize("scene", ["autoplan-ready", "autoplan-replan", "autoplan-blocked"])
def test_the_instructions_reach_every_later_prompt_and_the_result_unchanged(scene: str) -> None:
    done = play(scene)
    later = [message for message in done.messages if message.node != "capture_intent"]
    assert len(later) >= 5
    for message in later:
        assert f"<user_instructions>\n{INSTRUCTIONS}\n</user_instructions>" in message.prompt
        assert "authoritative" in message.prompt
    assert done.output["instructions"] == INSTRUCTIONS


def test_the_instructions_are_not_empty() -> None:
    for nothing in ("", "  \n "):
        with pytest.raises(ValidationError):
            Intent(instructions=nothing)


def test_a_selection_that_leaves_a_candidate_out_comes_back_with_that_name() -> None:
    done = play("autoplan-repaired")
    assert done.nodes.count("select") == 2
    assert "rejected has no reason against 'ideal'" in done.message("select", 2).prompt
    assert "not accepted" not in done.message("select", 1).prompt
    assert done.exit == "ready"


def test_repairs_are_bounded_and_then_the_run_says_what_was_wrong() -> None:
    done = play("autoplan-never-right")
    assert done.status == "failed"
    assert done.nodes.count("select") == 4
    assert "still wrong after 3 repairs: rejected has no reason against 'ideal'" in str(done.reason)


def test_a_previous_plan_has_to_be_accounted_for() -> None:
    done = play("autoplan-replan")
    assert done.nodes.count("solutions") == 2
    assert "previous_plan is null" in done.message("solutions", 2).prompt
    for node in ("capture_intent", "frame", "solutions", "plan"):
        assert "<previous_plan>" in done.message(node).prompt
        assert "The worker may only run at night." in done.message(node).prompt


def test_what_changed_is_told_by_digest_beside_a_plan_and_by_the_model_beside_a_text() -> None:
    assert play("autoplan-replan").output["changed"] is True
    assert play("autoplan-replan").output["plan"] == OTHER_PLAN
    assert play("autoplan-same-plan").output["changed"] is False  # given as JSON text
    assert play("autoplan-text-plan").output["changed"] is True


def test_no_prompt_lets_the_user_choose() -> None:
    assert "do not ask the user to choose" in play("autoplan-ready").message("select").prompt


def test_the_plan_has_thirty_minutes() -> None:
    node = next(node for node in autoplan.declared if node.name == "plan")
    assert node.settings["timeout"] == PLAN_SECONDS == 1800


def test_a_plans_digest_is_that_of_its_canonical_json() -> None:
    shuffled = dict(reversed(PLAN.items()))
    assert plan_digest(Plan.model_validate(shuffled)) == digest(PLAN).hex()
    assert plan_digest("At night.") == digest("At night.").hex()
    assert plan_digest(Plan.model_validate(OTHER_PLAN)) != digest(PLAN).hex()


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        ({"status": "ready", "blocker": "It is hard to say."}, "blocker null"),
        ({"selected_id": None}, "a selected_id"),
        ({"status": "blocked"}, "selected_id null"),
        ({"status": "blocked", "selected_id": None}, "a blocker"),
        ({"rejected": [*SELECTED["rejected"], SELECTED["rejected"][0]]}, "rejected twice"),
        (
            {
                "rejected": [
                    {**each, "reason": "It is just not good."} for each in SELECTED["rejected"]
                ]
            },
            "a reason of its own",
        ),
        ({"rejected": [{"id": "ideal", "reason": "Worse."}]}, "at least 20"),
        ({"status": "undecided"}, "'ready' or 'blocked'"),
        ({"choice": "x"}, "Extra inputs"),
    ],
)
def test_a_selection_that_does_not_hold_together_is_refused(
    changed: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(ValidationError, match=complaint):
        Selection.model_validate({**SELECTED, **changed})


def _problems(**changed: Any) -> list[str]:
    selection = Selection.model_validate({**SELECTED, **changed})
    return selection_problems(selection, CANDIDATES, IDEAL)


REASON = "It gives half a file when the line drops."


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        ({"selected_id": "by-mail"}, "selected_id 'by-mail' is no candidate"),
        ({"rejected": SELECTED["rejected"][:1]}, "no reason against 'ideal'"),
        (
            {"rejected": [*SELECTED["rejected"], {"id": "by-mail", "reason": REASON}]},
            "rejected names 'by-mail', which is no candidate",
        ),
        (
            {"rejected": [*SELECTED["rejected"], {"id": "background-job", "reason": REASON}]},
            "selected and rejected",
        ),
        ({"selected_id": "ideal"}, "depends on what we do not control"),
    ],
)
def test_a_selection_accounts_for_every_candidate_exactly_once(
    changed: dict[str, Any], complaint: str
) -> None:
    assert any(complaint in problem for problem in _problems(**changed))


def test_a_selection_that_fits_has_no_problems() -> None:
    assert _problems() == []
    assert selection_problems(Selection.model_validate(BLOCKED), CANDIDATES, IDEAL) == []


def test_the_ideal_can_be_selected_where_all_of_it_is_ours() -> None:
    ours = IDEAL.model_copy(update={"outside_dependencies": []})
    selection = Selection.model_validate(
        {
            **SELECTED,
            "selected_id": "ideal",
            "rejected": [
                {"id": "background-job", "reason": REASON},
                {"id": "streamed-response", "reason": REASON + " Twice."},
            ],
        }
    )
    assert selection_problems(selection, CANDIDATES, ours) == []


@pytest.mark.parametrize("wrong", ["ideal", "Background-Job", "background job", "", "x" * 49, "-a"])
def test_a_candidates_id_is_stable_lowercase_and_not_the_ideals(wrong: str) -> None:
    with pytest.raises(ValidationError):
        Candidate.model_validate({**SOLUTIONS["candidates"][0], "id": wrong})


@pytest.mark.parametrize("count", [0, 1, 5])
def test_there_are_two_to_four_candidates(count: int) -> None:
    listed = [{**SOLUTIONS["candidates"][0], "id": f"way-{n}"} for n in range(count)]
    with pytest.raises(ValidationError):
        Solutions.model_validate({"candidates": listed})


def test_candidates_have_ids_of_their_own_and_a_kept_plan_is_one_of_them() -> None:
    same = [SOLUTIONS["candidates"][0]] * 2
    with pytest.raises(ValidationError, match="used twice"):
        Solutions.model_validate({"candidates": same})
    fate = {"fate": "candidate", "candidate_id": "by-mail"}
    with pytest.raises(ValidationError, match="background-job, streamed-response"):
        Solutions.model_validate({**SOLUTIONS, "previous_plan": fate})


def test_only_a_previous_plan_is_accounted_for() -> None:
    none, kept = Solutions.model_validate(SOLUTIONS), Solutions.model_validate(KEPT)
    dropped = Solutions.model_validate(DROPPED)
    assert solution_problems(none, has_previous=False) == []
    assert solution_problems(kept, has_previous=True) == []
    assert solution_problems(dropped, has_previous=True) == []
    assert "null" in solution_problems(none, has_previous=True)[0]
    assert "null" in solution_problems(dropped, has_previous=False)[0]
