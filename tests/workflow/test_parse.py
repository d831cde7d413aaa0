"""What a model sent is read as JSON: strictly, but for one wrapping around it."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from segue.session import limits
from segue.session.canonical import Json
from segue.session.workflow.parse import NotJson, loads, parse_answer

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)  # fmt: skip


def test_a_value_is_taken_as_it_is() -> None:
    parsed = parse_answer({"a": [1, None, "x"]})
    assert parsed.value == {"a": [1, None, "x"]}
    assert not parsed.normalized


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1}',
        '  {"a": 1}\n',
        '```json\n{"a": 1}\n```',
        '```\n{"a": 1}```',
        '\n```JSON5 \n{"a":\n1}\n```\n',
        json.dumps('{"a": 1}'),
    ],
)
def test_one_wrapping_is_taken_off_and_told(text: str) -> None:
    parsed = parse_answer(text)
    assert parsed.value == {"a": 1}
    assert parsed.normalized


@pytest.mark.parametrize(
    "text",
    [
        'Here it is:\n```json\n{"a": 1}\n```',
        '```json\n{"a": 1}\n```\nDone.',
        '```json\n```json\n{"a": 1}\n```\n```',
        '{"a": 1} {"a": 2}',
        "{'a': 1}",
        "{a: 1}",
        "",
        "```\n```",
        "yes",
    ],
)
def test_prose_and_what_only_looks_like_json_is_refused(text: str) -> None:
    with pytest.raises(NotJson, match="not JSON at line"):
        parse_answer(text)


def test_a_refusal_names_line_and_column() -> None:
    with pytest.raises(NotJson, match="line 2, column 6"):
        parse_answer('{"a": 1,\n "b" 2}')


@pytest.mark.parametrize("name", ["NaN", "Infinity", "-Infinity"])
def test_what_is_no_number_in_json_is_refused(name: str) -> None:
    with pytest.raises(NotJson, match=f"{name} is not JSON"):
        parse_answer(f'{{"a": {name}}}')
    with pytest.raises(NotJson):
        parse_answer({"a": float(name)})


@pytest.mark.parametrize("number", ["1e999", "-1e999", "9" * 5_000])
def test_a_number_beyond_every_reader_is_refused(number: str) -> None:
    """Infinity by the back door, and more digits than Python reads, are no crash."""
    with pytest.raises(NotJson, match="too large for a number"):
        parse_answer(f"[{number}]")


def test_a_key_given_twice_is_refused_by_name() -> None:
    with pytest.raises(NotJson, match="the key 'b' is given twice"):
        parse_answer('{"x": {"a": 1, "b": 2, "b": 2}}')


def test_half_a_surrogate_pair_is_refused() -> None:
    """It cannot be written as UTF-8, so no database and no digest could take it."""
    raws: list[Json] = ['{"a": "\\ud83d"}', {"a": "\ud83d"}, "\ud83d"]
    for raw in raws:
        with pytest.raises(NotJson):
            parse_answer(raw)
    assert parse_answer('"\\ud83d\\ude00"').value == "😀"


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_nesting_is_bounded(opening: str, closing: str) -> None:
    fits = limits.NESTING
    parse_answer(opening * fits + "1" + closing * fits)
    for deep in (fits + 1, 100_000):
        with pytest.raises(NotJson, match="deep"):
            parse_answer((opening * deep + "1" + closing * deep)[: limits.ANSWER_CHARS])


def test_a_value_may_nest_no_deeper_than_a_text() -> None:
    value: Any = 1
    for _ in range(limits.NESTING + 1):
        value = [value]
    with pytest.raises(NotJson, match="deep"):
        parse_answer(value)
    assert parse_answer(value[0]).value == value[0]


def test_ten_megabytes_are_refused_unread() -> None:
    raws: list[Json] = ["x" * 10_000_000, {"a": "x" * 10_000_000}]
    for raw in raws:
        with pytest.raises(NotJson, match="at most 1,000,000 are read"):
            parse_answer(raw)


@pytest.mark.parametrize("filler", [" ", "`", "\n", "\n ", "``` "])
def test_a_fence_that_never_closes_costs_no_more_than_its_length(filler: str) -> None:
    """No pattern walks back and forth over a megabyte; this would not end if one did."""
    with pytest.raises(NotJson):
        parse_answer("```json\n" + filler * (900_000 // len(filler)) + "x")


@given(json_values)
def test_every_json_text_is_read_back(value: Any) -> None:
    text = json.dumps(value, ensure_ascii=False)
    assert loads(text) == value
    assert parse_answer(f"```json\n{text}\n```").normalized


@given(st.text(max_size=200) | st.text('{}[]",:\\`n\n tfu0123e.-', max_size=200))
def test_no_text_crashes_the_reader(text: str) -> None:
    try:
        value = parse_answer(text).value
    except NotJson:
        return
    assert json.dumps(value, allow_nan=False)


def test_the_depth_limit_lies_well_inside_python_s() -> None:
    assert sys.getrecursionlimit() > limits.NESTING * 4
