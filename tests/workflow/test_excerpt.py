"""A large value in a prompt is bounded, says so, and tells where the rest is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from segue.session.workflow.excerpt import excerpt


class Verdict(BaseModel):
    reason: str


@given(st.text(max_size=2_000), st.integers(-5, 3_000), st.none() | st.text(max_size=40))
def test_an_excerpt_is_never_longer_than_asked(
    text: str, chars: int, reference: str | None
) -> None:
    shown = excerpt(text, chars, reference)
    assert len(shown) <= max(chars, 0)
    assert len(text) > chars or shown == text


def test_what_fits_is_left_alone() -> None:
    assert excerpt("short", 5, "ref") == "short"


def test_head_and_tail_stay_and_the_marker_says_how_much_there_is() -> None:
    text = "a" * 5_000 + "z" * 5_000
    shown = excerpt(text, 1_000, "blob:12")
    assert shown.startswith("aaa")
    assert shown.endswith("zzz")
    assert "10,000 characters in all" in shown
    assert 'action "read", reference "blob:12"' in shown
    assert len(shown) == 1_000


def test_without_a_reference_none_is_promised() -> None:
    assert "reference" not in excerpt("a" * 1_000, 300, None)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"b": 1, "a": "é"}, '{"b":1,"a":"é"}'),
        ([1, None, True], "[1,null,true]"),
        (Verdict(reason="ok"), '{"reason":"ok"}'),
        ({1}, "{1}"),
        (float("nan"), "nan"),
    ],
)
def test_values_are_shown_as_json_where_they_are_json(value: object, text: str) -> None:
    assert excerpt(value, 100, None) == text
