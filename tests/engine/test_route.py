"""Routing is a pure function of the definition and of how the step ended."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from segue.session.engine.route import Go, Stop, field, needs_output, onward
from segue.session.engine.state import RunEvent, StepState
from segue.session.workflow.snapshot import OUTCOME_PATH, Definition, EdgeDef, NodeDef

OK, FAILED, TIMED_OUT = StepState.OK, StepState.FAILED, StepState.TIMED_OUT


def flow(edge: EdgeDef, exits: dict[str, str] | None = None) -> Definition:
    nodes = {
        "a": NodeDef("a", "compute", edge),
        "b": NodeDef("b", "compute"),
        "c": NodeDef("c", "compute"),
    }
    return Definition("w", "a", nodes, 10, exits or {})


PLAIN = EdgeDef(cases=((None, "b"),))
SWITCH = EdgeDef("v.route", (("x", "b"), (True, "c"), (1, None)))


def test_a_plain_edge_leads_on_whatever_the_output_is() -> None:
    assert onward(flow(PLAIN), "a", OK, {"any": 1}, None) == Go("b")


def test_no_edge_and_an_edge_to_nothing_end_the_run() -> None:
    assert onward(flow(EdgeDef()), "a", OK, 1, None) == Stop(RunEvent.COMPLETE)
    assert onward(flow(EdgeDef(cases=((None, None),))), "a", OK, 1, None) == Stop(RunEvent.COMPLETE)


def test_the_end_of_a_run_names_the_exit_it_left_by() -> None:
    stop = onward(flow(EdgeDef(), {"done": "a"}), "a", OK, 1, None)
    assert stop == Stop(RunEvent.COMPLETE, exit="done")


def test_a_switch_reads_a_field_path() -> None:
    assert onward(flow(SWITCH), "a", OK, {"v": {"route": "x"}}, None) == Go("b")
    assert onward(flow(SWITCH), "a", OK, {"v": {"route": 1}}, None) == Stop(RunEvent.COMPLETE)


def test_true_and_one_are_two_cases() -> None:
    assert onward(flow(SWITCH), "a", OK, {"v": {"route": True}}, None) == Go("c")
    only_true = flow(EdgeDef("v", ((True, "b"),)))
    assert isinstance(onward(only_true, "a", OK, {"v": 1}, None), Stop)


@pytest.mark.parametrize("output", [{}, {"v": {}}, {"v": None}, None, [], "x", {"v": "route"}])
def test_a_missing_field_fails_the_run_and_never_falls_through(output: object) -> None:
    stop = onward(flow(SWITCH), "a", OK, output, None)  # type: ignore[arg-type]
    assert isinstance(stop, Stop)
    assert stop.event is RunEvent.FAIL
    assert "no route: a" in (stop.reason or "")


def test_a_value_that_no_case_names_fails_the_run() -> None:
    stop = onward(flow(SWITCH), "a", OK, {"v": {"route": "y"}}, None)
    assert stop == Stop(RunEvent.FAIL, "no route: a has no case for 'y' of 'v.route'")


@pytest.mark.parametrize(
    ("outcome", "event"), [(FAILED, RunEvent.FAIL), (TIMED_OUT, RunEvent.TIME_OUT)]
)
def test_a_failure_that_is_not_routed_ends_the_run_as_the_step_ended(
    outcome: StepState, event: RunEvent
) -> None:
    assert onward(flow(PLAIN), "a", outcome, None, "why") == Stop(event, "why")


@pytest.mark.parametrize("outcome", [FAILED, TIMED_OUT])
def test_on_failure_takes_both_ways_of_failing(outcome: StepState) -> None:
    edge = EdgeDef("v.route", (("x", "b"),), failure="c")
    assert onward(flow(edge), "a", outcome, None, "why") == Go("c")
    assert onward(flow(edge), "a", OK, {"v": {"route": "x"}}, None) == Go("b")


def test_a_switch_on_the_outcome_covers_every_ending() -> None:
    edge = EdgeDef(OUTCOME_PATH, (("ok", "b"), ("failed", "c"), ("timed_out", None)))
    assert onward(flow(edge), "a", OK, None, None) == Go("b")
    assert onward(flow(edge), "a", FAILED, None, "why") == Go("c")
    assert onward(flow(edge), "a", TIMED_OUT, None, "why") == Stop(RunEvent.COMPLETE)


def test_only_a_switch_on_a_field_reads_the_output() -> None:
    assert needs_output(SWITCH)
    assert not needs_output(PLAIN)
    assert not needs_output(EdgeDef(OUTCOME_PATH, (("ok", None),)))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(JSON, st.sampled_from([OK, FAILED, TIMED_OUT]))
def test_routing_never_raises_and_gives_the_same_twice(output: object, outcome: StepState) -> None:
    first = onward(flow(SWITCH), "a", outcome, output, "r")  # type: ignore[arg-type]
    assert first == onward(flow(SWITCH), "a", outcome, output, "r")  # type: ignore[arg-type]


def test_a_field_path_names_the_part_that_is_missing() -> None:
    assert field({"a": {"b": [1]}}, "a.b") == [1]
    with pytest.raises(LookupError, match="c"):
        field({"a": {"b": 1}}, "a.c")
