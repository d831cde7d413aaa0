"""What is drawn: by display width, safe, and one sign for each state."""

from __future__ import annotations

import io
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from segue.plugin.views import statuses
from segue.plugin.views.bars import bar
from segue.plugin.views.cards import card
from segue.plugin.views.page import Page
from segue.plugin.views.paint import Paint, paint_for
from segue.plugin.views.tables import Cell, table
from segue.plugin.views.times import ago, duration, iso
from segue.plugin.views.values import bounded, pretty
from segue.plugin.views.width import cut, pad, safe, width, wrap
from segue.session.engine.progress import Estimate
from segue.session.engine.state import RunState, StepState


def drawn(page: Page) -> str:
    assert isinstance(page.stream, io.StringIO)
    return page.stream.getvalue()


def test_width_counts_columns_not_characters() -> None:
    assert [width(text) for text in ("abc", "日本", "e\u0301", "")] == [3, 4, 1, 0]


@given(st.text(), st.integers(min_value=2, max_value=40))
def test_no_wrapped_line_is_too_wide(text: str, columns: int) -> None:
    assert all(width(line) <= columns for line in wrap(text, columns))


@given(st.text(), st.integers(min_value=2, max_value=40))
def test_wrapping_loses_nothing_but_spaces(text: str, columns: int) -> None:
    squeezed = "".join(safe(text).split())
    assert "".join("".join(wrap(text, columns)).split()) == squeezed


@given(st.text(alphabet=st.characters(exclude_characters="\n\r")), st.integers(2, 40))
def test_a_cut_text_fits(text: str, columns: int) -> None:
    shown = cut(safe(text), columns)
    assert width(shown) <= columns
    assert width(pad(shown, columns)) == columns


@given(st.text())
def test_safe_text_steers_no_terminal(text: str) -> None:
    shown = safe(text)
    assert not {c for c in shown if ord(c) < 32} - {"\n"}
    assert not {c for c in shown if 0x7F <= ord(c) < 0xA0}


def test_wrapping_keeps_the_indent_and_hangs_lists() -> None:
    assert wrap("    one two three", 11) == ["    one two", "    three"]
    text = "- a list item that goes over more than one line"
    assert wrap(text, 24) == ["- a list item that goes", "  over more than one", "  line"]
    assert wrap('{"aaaa":1,"bbbbbbb":2}', 14) == ['{"aaaa":1,', '"bbbbbbb":2}']


@pytest.mark.parametrize("note", ["", "agent · visit 2"])
@pytest.mark.parametrize("title", ["1 · inspect", "12 · " + "very_long_name_" * 9, "3 · 日本語"])
def test_a_card_is_a_rectangle(title: str, note: str) -> None:
    page = Page(io.StringIO())
    card(page, title, note, [("word " * 40 + "日本語" * 30, ()), ("two", ("dim",))])
    lines = drawn(page).splitlines()
    assert {width(line) for line in lines} == {80}


def test_json_breaks_only_where_it_is_too_wide() -> None:
    assert pretty({"a": [1, 2]}, 20) == '{"a": [1, 2]}'
    assert pretty({"a": [1, 2], "b": "long"}, 20) == '{\n  "a": [1, 2],\n  "b": "long"\n}'
    assert bounded("1\n2\n3\n4", 2) == "1\n2\n… 2 more lines"


def test_every_state_has_its_sign() -> None:
    """D7: the closed set, drawn in one place."""
    for run in RunState:
        word, colour = statuses.run_cell(run)
        assert word.endswith(run.replace("_", " "))
        assert Paint(colour=True)("x", colour) != "x"
    for step in StepState:
        assert statuses.step_cell(step)[0].endswith(step.replace("_", " "))


def test_a_table_is_cut_at_the_edge() -> None:
    page = Page(io.StringIO())
    table(page, ("A", "B"), [(Cell("one"), Cell("x" * 200)), (Cell("three"), Cell("a\nb"))])
    lines = drawn(page).splitlines()
    assert lines[0] == "A      B"
    assert width(lines[1]) == 80
    assert lines[2] == "three  a b"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("stream", "environ", "colour"),
    [
        (Terminal(), {"TERM": "xterm"}, True),
        (Terminal(), {"TERM": "xterm", "NO_COLOR": "1"}, False),
        (Terminal(), {"TERM": "xterm", "NO_COLOR": ""}, True),
        (Terminal(), {"TERM": "dumb"}, False),
        (io.StringIO(), {"TERM": "xterm"}, False),
    ],
)
def test_colour_only_on_a_terminal_that_wants_it(
    stream: Any, environ: dict[str, str], colour: bool
) -> None:
    assert paint_for(stream, environ).colour == colour


def test_a_bar_says_how_far_how_fast_and_how_long_still() -> None:
    half = bar(Paint(colour=False), Estimate(12, 24, "files", "", 2.0, 6.0))
    assert half == "▕████████████            ▏  50%  12 of 24 files · 2/s · 6.0 s left"
    assert bar(Paint(colour=False), Estimate(3, None, "", "m", None, None)) == "3 · m"
    assert "100%" in bar(Paint(colour=False), Estimate(9, 3, "", "", None, 0.0))


def test_progress_is_drawn_on_a_terminal_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    page = Page(Terminal())
    page.live("half")
    page.line("next")
    assert drawn(page) == "\r\x1b[2Khalf\r\x1b[2Knext\n"
    plain = Page(io.StringIO())
    plain.live("half")
    assert drawn(plain) == ""


@pytest.mark.parametrize(
    ("ms", "said"),
    [
        (0, "0 ms"),
        (999, "999 ms"),
        (1_500, "1.5 s"),
        (59_000, "59 s"),
        (60_000, "1 min"),
        (90_000, "1 min 30 s"),
        (7_200_000, "2 h"),
        (7_500_000, "2 h 5 min"),
        (90_000_000, "1 d 1 h"),
    ],
)
def test_times_are_said_as_people_say_them(ms: int, said: str) -> None:
    assert duration(ms) == said


def test_moments() -> None:
    assert [ago(0, ms) for ms in (0, 30_000, 120_000, 7_200_000)] == [
        "just now",
        "30 s ago",
        "2 min ago",
        "2 h ago",
    ]
    assert iso(1_700_000_000_123) == "2023-11-14T22:13:20.123Z"
    assert iso(None) is None
