"""Rate and time left are worked out here; and too many reports are dropped, never queued."""

from __future__ import annotations

from segue.session.engine.progress import Throttle, estimate


def test_rate_and_time_left_come_from_the_first_report_and_the_latest() -> None:
    made = estimate(
        {"completed": 10}, {"completed": 30, "total": 70, "unit": "files", "message": "m"}, 0, 4000
    )
    assert (made.rate, made.eta, made.unit, made.message) == (5.0, 8.0, "files", "m")


def test_one_report_says_no_rate() -> None:
    made = estimate({"completed": 3}, {"completed": 3, "total": 9}, 5, 5)
    assert (made.rate, made.eta, made.total) == (None, None, 9)


def test_no_total_no_time_left() -> None:
    made = estimate({"completed": 0}, {"completed": 5}, 0, 1000)
    assert (made.rate, made.eta) == (5.0, None)


def test_all_done_leaves_no_time_whatever_the_rate() -> None:
    assert estimate({"completed": 9}, {"completed": 9, "total": 9}, 0, 0).eta == 0.0
    assert estimate({"completed": 9}, {"completed": 12, "total": 9}, 0, 10).eta == 0.0


def test_going_backwards_says_no_rate() -> None:
    made = estimate({"completed": 9}, {"completed": 2, "total": 10}, 0, 1000)
    assert (made.rate, made.eta) == (None, None)


def test_what_is_no_number_counts_as_nothing() -> None:
    assert estimate({"completed": "x"}, {"completed": None, "total": "y"}, 0, 1000).completed == 0


def test_s4_a_burst_passes_and_then_so_many_a_second() -> None:
    throttle = Throttle(rate=20, burst=100)
    assert sum(throttle.let(0.0) for _ in range(500)) == 100
    assert throttle.dropped == 400
    assert sum(throttle.let(1.0) for _ in range(500)) == 20
    assert sum(throttle.let(1000.0) for _ in range(500)) == 100
