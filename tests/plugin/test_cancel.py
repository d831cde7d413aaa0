"""`segue cancel`: a run ends for good, after a person has said so."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from .conftest import Done


class Terminal(io.StringIO):
    """A person who types."""

    def isatty(self) -> bool:
        return True


def test_without_a_terminal_it_wants_yes(
    segue: Callable[..., Done], kept: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO())
    done = segue("cancel", kept)
    assert done.code == 2
    assert "add --yes" in done.err
    assert kept in done.err
    assert segue("show", kept, "--json").json()["ended_at"] is None


def test_with_yes_the_run_is_cancelled(segue: Callable[..., Done], kept: str) -> None:
    done = segue("cancel", kept, "--yes")
    assert done.out == f"run {kept} (review) is cancelled\n"
    made = segue("show", kept, "--json").json()
    assert made["status"] == "cancelled"
    assert made["steps"][-1]["outcome"] == "cancelled"
    assert made["asks"] is None


@pytest.mark.parametrize(("typed", "code"), [("y\n", 0), ("yes\n", 0), ("n\n", 1), ("\n", 1)])
def test_on_a_terminal_it_names_the_run_and_asks(
    segue: Callable[..., Done],
    kept: str,
    monkeypatch: pytest.MonkeyPatch,
    typed: str,
    code: int,
) -> None:
    monkeypatch.setattr("sys.stdin", Terminal(typed))
    done = segue("cancel", kept)
    assert done.code == code
    assert f"Run {kept} of review" in done.out
    ended = segue("show", kept, "--json").json()["ended_at"]
    assert (ended is not None) == (code == 0)


def test_what_has_ended_is_not_cancelled(segue: Callable[..., Done], kept: str) -> None:
    segue("cancel", kept, "--yes")
    done = segue("cancel", kept, "--yes")
    assert done.code == 1
    assert "has ended already" in done.err


def test_the_end_of_input_leaves_the_run(
    segue: Callable[..., Done], kept: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", Terminal(""))
    assert segue("cancel", kept).code == 1
    assert segue("show", kept, "--json").json()["ended_at"] is None
