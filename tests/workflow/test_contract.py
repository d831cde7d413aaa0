"""An answer that does not fit is told where, what was expected and what was received."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, date, datetime
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    computed_field,
    field_validator,
    model_validator,
)

from segue.session.canonical import Json, canonical
from segue.session.workflow.contract import (
    Problem,
    Rejected,
    accept,
    dump,
    revive,
    schema_of,
    shown,
)
from segue.session.workflow.values import ShellResult


class Severity(Enum):
    LOW = "low"
    HIGH = "high"


class Issue(BaseModel):
    file: str
    line: int = Field(ge=1)


class Report(BaseModel):
    model_config = ConfigDict(extra="forbid")

    route: Literal["clean", "issues_found"]
    issues: list[Issue] = []
    severity: Severity | None = None
    ready: bool = True
    share: float = 0.5
    answer: Literal["yes or no", 3, True, None] = 3
    either: Issue | list[str] | None = None
    by_name: dict[str, int] = {}
    size: Annotated[str, Field(max_length=3)] = ""

    @field_validator("issues")
    @classmethod
    def few(cls, issues: list[Issue]) -> list[Issue]:
        if len(issues) > 2:
            raise ValueError("At most two issues at a time")
        return issues

    @model_validator(mode="after")
    def sound(self) -> Self:
        if self.route == "clean" and self.issues:
            raise ValueError("A clean report has no issues")
        return self


def problems(value: Json, model: Any = Report) -> tuple[Problem, ...]:
    with pytest.raises(Rejected) as rejected:
        accept(model, value)
    return rejected.value.problems


FINE: dict[str, Json] = {"route": "issues_found"}


@pytest.mark.parametrize(
    ("change", "path", "expected", "received"),
    [
        ({"route": "ok"}, "route", 'one of "clean", "issues_found"', '"ok" (string)'),
        ({"severity": 3}, "severity", 'one of "low", "high"', "3 (number)"),
        (
            {"answer": "no"},
            "answer",
            'one of "yes or no", 3, true, null',
            '"no" (string)',
        ),
        ({"more": 1}, "more", "no such field", "1 (number)"),
        ({"issues": {}}, "issues", "a valid array", "{} (object)"),
        ({"issues": [3]}, "issues[0]", "an object", "3 (number)"),
        (
            {"issues": [{"file": "a", "line": 1}, {"file": "a", "line": 0}]},
            "issues[1].line",
            "greater than or equal to 1",
            "0 (number)",
        ),
        (
            {"issues": [{"line": 1}]},
            "issues[0].file",
            "a value (the field is required)",
            "nothing",
        ),
        ({"issues": [{}, {}, {}]}, "issues[0].file", "a value (the field is required)", "nothing"),
        ({"by_name": {"x": "y"}}, "by_name.x", "a valid integer, unable to parse", '"y" (string)'),
        ({"ready": None}, "ready", "a valid boolean", "null (null)"),
        ({"share": []}, "share", "a valid number", "[] (array)"),
        ({"size": "four"}, "size", "", '"four" (string)'),
        (
            {"issues": [{"file": "a", "line": 1}] * 3},
            "issues",
            "at most two issues at a time",
            '[{"file":"a","line":1},',
        ),
        (
            {"route": "clean", "issues": [{"file": "a", "line": 1}]},
            "(whole)",
            "a clean report has no issues",
            '{"route":"clean",',
        ),
    ],
)
def test_a_rejection_names_path_expected_and_received(
    change: dict[str, Json], path: str, expected: str, received: str
) -> None:
    first = problems({**FINE, **change})[0]
    assert first.path == path
    assert first.expected.startswith(expected)
    assert first.received.startswith(received)
    assert str(first) == f"{path}: expected {first.expected}; received {first.received}"


def test_the_path_of_a_union_speaks_of_the_answer_and_not_of_python() -> None:
    """Pydantic puts the members' type names into the place; the model has never seen them."""
    found = problems({**FINE, "either": {"file": 1}})
    assert {p.path for p in found} == {"either", "either.file", "either.line"}
    assert problems({**FINE, "either": ["a", 2]})[-1].path == "either[1]"


@pytest.mark.parametrize("value", [[], "clean", 3, None, True])
def test_the_whole_can_be_wrong(value: Json) -> None:
    (problem,) = problems(value)
    assert (problem.path, problem.expected) == ("(whole)", "an object")


def test_the_same_answer_is_rejected_in_the_same_words() -> None:
    """P-I6."""
    value: Json = {"route": 3, "issues": [{"line": "x"}]}
    assert problems(value) == problems(json.loads(json.dumps(value)))


def test_every_problem_is_named_up_to_a_bound() -> None:
    found = problems({**FINE, "by_name": {f"k{n}": "x" for n in range(100)}})
    assert len(found) == 13
    assert str(found[-1]) == "(more): expected 88 further problems; received not listed"


def test_a_long_received_value_is_cut() -> None:
    assert len(problems({**FINE, "route": "x" * 100_000})[0].received) < 250
    assert len(shown(object())) < 250


# --- what is stored


def test_an_accepted_answer_is_stored_as_json() -> None:
    class Plan(BaseModel):
        day: date
        at: datetime
        severity: Severity
        pair: tuple[int, str]
        tags: set[str]
        path: Path

    value: Json = {
        "day": "2026-01-02",
        "at": "2026-01-02T03:04:05Z",
        "severity": "low",
        "pair": [1, "a"],
        "tags": ["x"],
        "path": "/a",
    }
    stored = accept(Plan, value)
    assert stored == value
    plan = revive(Plan, stored)
    assert plan.at == datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    assert plan.tags == {"x"}


def test_defaults_are_filled_in_and_numbers_in_texts_are_taken() -> None:
    stored = accept(Issue, {"file": "a", "line": "3"})
    assert stored == {"file": "a", "line": 3}
    filled = accept(Report, FINE)
    assert isinstance(filled, dict)
    assert filled["ready"] is True


def test_aliases_and_computed_fields_survive_being_stored() -> None:
    """The model is shown aliases; routes and the store use the fields' own names."""

    class Aliased(BaseModel):
        model_config = ConfigDict(extra="forbid")
        route: Literal["a", "b"] = Field(alias="routeTo")

        @computed_field  # type: ignore[prop-decorator]  # mypy knows no decorated property
        @property
        def loud(self) -> str:
            return self.route.upper()

    schema = schema_of(Aliased)
    assert schema is not None
    assert schema["required"] == ["routeTo"]
    stored = accept(Aliased, {"routeTo": "a"})
    assert stored == {"route": "a"}
    assert revive(Aliased, stored).loud == "A"
    assert problems({}, Aliased)[0].path == "routeTo"


def test_no_model_takes_anything_and_no_output_takes_nothing() -> None:
    assert accept(Any, {"a": 1}) == {"a": 1}
    assert accept(None, {"a": 1}) is None
    assert schema_of(None) is None
    assert schema_of(Any) is None
    assert revive(None, None) is None


@dataclass
class Point:
    x: int
    y: float


@pytest.mark.parametrize(
    ("hint", "value", "stored"),
    [
        (Any, {"a": (1, 2), 3: {4}}, {"a": [1, 2], "3": [4]}),
        (Any, Issue(file="a", line=1), {"file": "a", "line": 1}),
        (Any, datetime(2026, 1, 2, tzinfo=UTC), "2026-01-02T00:00:00Z"),
        (dict[str, int], {"a": 1}, {"a": 1}),
        (list[Issue], [Issue(file="a", line=1)], [{"file": "a", "line": 1}]),
        (Point, Point(1, 2.0), {"x": 1, "y": 2.0}),
        (ShellResult, ShellResult(stdout="x"), ShellResult(stdout="x").model_dump()),
        (None, None, None),
        (str, "a\x00é😀", "a\x00é😀"),
    ],
)
def test_a_callback_s_result_is_stored_as_json(hint: Any, value: Any, stored: Json) -> None:
    assert dump(hint, value) == stored
    assert canonical(dump(hint, value))


@pytest.mark.parametrize(
    ("hint", "value"),
    [
        (Any, object()),
        (Any, float("nan")),
        (Any, {"a": [1.0, float("inf")]}),
        (float, float("nan")),
        (Point, Point(1, float("-inf"))),
        (Any, lambda: 1),
        (Any, "\ud800"),
        (Any, {"\ud800": 1}),
        (Any, b"\xff"),
        (dict[str, int], {"a": "x"}),
        (Issue, {"file": "a"}),
        (object, object()),
        (Path, 3),
    ],
)
def test_a_result_that_is_not_json_is_refused(hint: Any, value: Any) -> None:
    with pytest.raises(TypeError, match=r"the output (is not JSON|does not fit its type)"):
        dump(hint, value)


def test_a_result_that_contains_itself_is_refused() -> None:
    circle: list[Any] = []
    circle.append(circle)
    with pytest.raises(TypeError, match=r"the output (is not JSON|does not fit its type)"):
        dump(Any, circle)


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**60), 2**60)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=15,
)


@given(json_values)
def test_a_json_result_comes_back_as_it_went(value: Json) -> None:
    assert revive(Any, dump(Any, value)) == value


@given(json_values)
def test_no_answer_crashes_the_contract(value: Json) -> None:
    for answer in (value, {"route": value}, {**FINE, "either": value, "issues": value}):
        try:
            stored = accept(Report, answer)
        except Rejected as rejected:
            told = rejected.problems
        else:
            told = ()
            assert accept(Report, stored) == stored
        assert len(told) <= 13
        assert all(len(str(problem)) < 2_000 for problem in told)


@given(json_values)
def test_canonical_json_does_not_depend_on_the_order_of_keys(value: Json) -> None:
    def turned(v: Json) -> Json:
        if isinstance(v, dict):
            return {k: turned(v[k]) for k in reversed(v)}
        return [turned(x) for x in v] if isinstance(v, list) else v

    assert canonical(turned(value)) == canonical(value)
    assert json.loads(canonical(value)) == value
