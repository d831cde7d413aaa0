"""Which values a field can have, so that a switch has a case for each of them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, IntEnum, StrEnum
from typing import Annotated, Any, Literal, Optional

import pytest
from pydantic import BaseModel, Field
from typing_extensions import TypeAliasType, TypedDict

from segue.session.workflow.closed import (
    OPEN,
    NoSuchField,
    among,
    case_value,
    closed_values,
    values_at,
)


class Route(StrEnum):
    LEFT = "left"
    RIGHT = "right"


class Level(IntEnum):
    LOW = 1
    HIGH = 2


class Mixed(Enum):
    A = "a"
    B = True


class Inner(BaseModel):
    route: Literal["a", "b"]
    text: str


class Clean(BaseModel):
    kind: Literal["clean"]


class Dirty(BaseModel):
    kind: Literal["dirty", "filthy"]
    count: int


@dataclass
class Record:
    ok: bool


class Typed(TypedDict, total=False):
    ok: bool | None


Alias = TypeAliasType("Alias", Literal["x", "y"])


class Outer(BaseModel):
    inner: Inner
    maybe: Inner | None
    verdict: Annotated[Clean | Dirty, Field(discriminator="kind")]
    flag: Annotated[bool, Field(description="d")]
    flag_or_not: Optional[bool]  # noqa: UP045 - both spellings are met
    route: Route
    words: Literal["a"] | Literal["b", None]
    alias: Alias
    open_or_not: Literal["a"] | str
    anything: Any
    mapping: dict[str, Route]
    record: Record
    typed: Typed
    several: list[Inner]
    either: Inner | Record


@pytest.mark.parametrize(
    ("path", "values"),
    [
        ("inner.route", ["a", "b"]),
        ("maybe.route", ["a", "b", None]),
        ("verdict.kind", ["clean", "dirty", "filthy"]),
        ("flag", [True, False]),
        ("flag_or_not", [True, False, None]),
        ("route", ["left", "right"]),
        ("words", ["a", "b", None]),
        ("alias", ["x", "y"]),
        ("mapping.whatever", ["left", "right"]),
        ("record.ok", [True, False]),
        ("typed.ok", [True, False, None]),
        ("inner.text", OPEN),
        ("open_or_not", OPEN),
        ("anything", OPEN),
        ("anything.at.all", OPEN),
        ("inner", OPEN),
    ],
)
def test_the_type_says_which_values_there_are(path: str, values: list[Any] | None) -> None:
    assert values_at(Outer, path) == values


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("rout", "Outer has no field 'rout'"),
        ("inner.rout", "Inner has no field 'rout' (it has: route, text)"),
        ("inner.text.length", "str has no fields, so no 'length'"),
        ("several.route", "has no fields"),
        ("verdict.count", "Clean has no field 'count'"),
        ("either.route", "Record has no field 'route'"),
        ("record.okay", "Record has no field"),
        ("typed.okay", "Typed has no field"),
        ("", "Outer has no field ''"),
        ("inner.", "Inner has no field ''"),
    ],
)
def test_a_path_that_leads_nowhere_names_the_part(path: str, said: str) -> None:
    with pytest.raises(NoSuchField) as error:
        values_at(Outer, path)
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("hint", "values"),
    [
        (Literal[1, "1", True, None], [1, "1", True, None]),
        (Level, [1, 2]),
        (Mixed, ["a", True]),
        (bool, [True, False]),
        (None, OPEN),
        (str, OPEN),
        (int, OPEN),
        (list[bool], OPEN),
    ],
)
def test_closed_types(hint: Any, values: list[Any] | None) -> None:
    assert closed_values(hint) == values


def test_a_case_is_spelled_as_in_json() -> None:
    assert [case_value(v) for v in (Route.LEFT, Level.HIGH, Mixed.B, "x", 3, None)] == [
        "left",
        2,
        True,
        "x",
        3,
        None,
    ]
    assert type(case_value(Route.LEFT)) is str


def test_true_is_not_one() -> None:
    assert among(1, [1])
    assert not among(1, [True, "1"])
