"""monitor: looks, acts within its orders, never does the same thing twice, and comes to an end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from pydantic import ValidationError

from segue.builtins.monitor import MAX_CHECKS, Observation, Watch, monitor
from segue.session.errors import InputInvalid
from segue.testing import rehearse

from ..kit import FakeClock, desk, drive
from .scenes import ACTING, DONE, SEEN, WATCH, play

if TYPE_CHECKING:
    from pathlib import Path

DAY_MS = 86_400_000


def test_each_check_leads_to_a_wait_an_action_or_the_end() -> None:
    done = play("monitor-done")
    look = ["observe", "report", "turn"]
    assert done.nodes == [
        *look,
        "pause",
        *look,
        "act",
        "pause",
        *look,
        "act",
        "pause",
        *look,
        "finished",
    ]
    assert done.exit == "done"
    assert done.output == {"outcome": "done", "why": DONE["report"], "checks": 4, "actions": 2}


def test_each_check_is_reported_as_a_notice() -> None:
    assert list(play("monitor-done").notices) == [
        f"Check 1: waiting. {SEEN['report']} The next check is in 30 minutes.",
        f"Check 2: acting. {ACTING['report']} The next check is in 30 minutes.",
        f"Check 3: acting. {ACTING['report']} The next check is in 30 minutes.",
        f"Check 4: done. {DONE['report']}",
    ]


def test_what_was_seen_and_done_last_is_shown_to_the_next_check() -> None:
    done = play("monitor-done")
    assert "<last_check>" not in done.message("observe", 1).prompt
    assert SEEN["report"] in done.message("observe", 2).prompt
    assert "empty cache; it is queued" in done.message("observe", 3).prompt


def test_the_same_failure_in_the_same_state_after_an_action_is_not_tried_again() -> None:
    done = play("monitor-same-again")
    assert (done.exit, done.nodes.count("act")) == ("blocked", 1)
    assert "(lint-cache-broken) in the same state (commit-4be7d10)" in done.output["why"]
    assert done.notices[-1].startswith("Check 3: blocked.")


def test_the_same_failure_in_another_state_is_acted_on() -> None:
    assert play("monitor-done").nodes.count("act") == 2


def test_what_the_model_calls_blocked_ends_it() -> None:
    done = play("monitor-blocked")
    assert (done.exit, done.output["checks"]) == ("blocked", 2)


def test_checks_are_bounded_and_the_last_one_does_not_act() -> None:
    assert play("monitor-used-up").exit == "checks-used-up"
    assert play("monitor-used-up").nodes.count("observe") == 3
    last = play("monitor-no-check-for-an-act")
    assert (last.exit, last.nodes.count("act")) == ("checks-used-up", 0)
    assert "no check is left" in last.output["why"]


def test_the_most_checks_fit_into_the_most_steps() -> None:
    assert monitor.max_steps >= MAX_CHECKS * len(["observe", "report", "turn", "act", "pause"])


def test_a_check_that_does_not_end_counts_and_three_in_a_row_end_it() -> None:
    done = play("monitor-missed")
    assert (done.exit, done.nodes.count("observe")) == ("blocked", 6)
    assert done.notices[0] == (
        "Check 1: waiting. The check did not come to an end. The next check is in 1 minute."
    )
    assert "3 times in a row" in done.notices[-1]


def test_it_goes_on_for_three_days() -> None:
    done = play("monitor-three-days")
    assert (done.exit, done.output["checks"]) == ("done", 145)
    assert done.skipped["pause"] == pytest.approx(3 * DAY_MS, rel=0.001)
    assert len(done.notices) == 145


def test_a_closed_laptop_and_a_new_server_lose_no_wait_and_check_once(tmp_path: Path) -> None:
    clock = FakeClock()
    here = desk(tmp_path, clock)
    try:
        runner = here.start("builtin:monitor", WATCH)
        standing = drive(runner, {"observe": [SEEN]})
        assert (standing.kind, standing.until) == ("sleeping", clock.now() + 30 * 60_000)
        clock.sleep(3 * 86_400)
        standing = drive(here.again(runner))
        assert standing.kind == "asking"
        assert standing.attempt is not None
        assert (standing.attempt.node, standing.attempt.visit) == ("observe", 2)
    finally:
        here.close()


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"task": ""},
        {**WATCH, "every_minutes": 0},
        {**WATCH, "every_minutes": 1441},
        {**WATCH, "max_checks": 0},
        {**WATCH, "max_checks": 1001},
        {**WATCH, "report_when": "always"},
    ],
)
def test_an_input_that_does_not_fit_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Watch.model_validate(wrong)


def test_an_unknown_field_is_named_before_anything_starts(tmp_path: Path) -> None:
    with pytest.raises(InputInvalid, match=r"audience: expected no such field"):
        rehearse("builtin:monitor", input={**WATCH, "audience": "all"}, project=tmp_path)


def test_unsaid_it_checks_every_thirty_minutes_a_thousand_times() -> None:
    watch = Watch(task="x")
    assert (watch.every_minutes, watch.max_checks) == (30, 1000)


@pytest.mark.parametrize(
    "wrong",
    [
        {**ACTING, "authority": None},
        {**ACTING, "failure_id": "Lint Cache"},
        {**ACTING, "target_state_id": None},
        {**SEEN, "action": "Run it again."},
        {**SEEN, "outcome": "done"},
        {**DONE, "outcome": None},
        {**SEEN, "decision": "repair"},
    ],
)
def test_an_observation_says_what_its_decision_needs_and_no_more(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Observation.model_validate(wrong)


def test_looking_changes_nothing_and_acting_needs_words_that_allow_it() -> None:
    look = play("monitor-done").message("observe").prompt
    assert "Only look. Change nothing" in look
    assert "Being able to do something is no permission." in look
    act = play("monitor-done").message("act").prompt
    assert ACTING["authority"] in act
    assert ACTING["action"] in act
