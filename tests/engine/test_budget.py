"""A step's time is the time it works: not a pause, not a person's, not a closed laptop."""

from __future__ import annotations

from segue.session.engine.budget import Budget
from tests.kit import FakeClock


def test_only_the_time_between_start_and_stop_counts() -> None:
    clock = FakeClock()
    budget = Budget(clock, 10)
    clock.advance(100)
    budget.start()
    clock.advance(4)
    assert budget.stop() == 4
    clock.advance(1000)
    assert budget.left() == 6
    budget.start()
    clock.advance(6)
    assert budget.exceeded()


def test_d3_eight_hours_asleep_change_nothing() -> None:
    clock = FakeClock()
    budget = Budget(clock, 10)
    budget.start()
    clock.advance(1)
    clock.sleep(8 * 3600)
    assert budget.spent() == 1
    assert not budget.exceeded()


def test_a_second_start_keeps_the_first() -> None:
    clock = FakeClock()
    budget = Budget(clock, 10)
    budget.start()
    clock.advance(3)
    budget.start()
    clock.advance(3)
    assert budget.stop() == 6
    assert budget.stop() == 6


def test_no_limit_is_never_exceeded() -> None:
    clock = FakeClock()
    budget = Budget(clock, None)
    budget.start()
    clock.advance(1e9)
    assert budget.left() is None
    assert not budget.exceeded()


def test_what_was_used_before_a_restart_still_counts() -> None:
    budget = Budget(FakeClock(), 10, used=9)
    assert budget.left() == 1


def test_a_clock_that_went_back_takes_nothing_off() -> None:
    clock = FakeClock()
    budget = Budget(clock, 10)
    budget.start()
    clock.advance(-5)
    assert budget.spent() == 0
