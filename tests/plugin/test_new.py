"""`segue new`: what it writes works as it stands, and nothing is overwritten."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from .conftest import Done


def test_the_scaffold_rehearses_and_is_clean_under_check(
    segue: Callable[..., Done], project: Path
) -> None:
    assert segue("new", "my-flow").code == 0
    answers = ".segue/workflows/my_flow.answers.json"
    done = segue("rehearse", "my-flow", "x", "--answers", answers, "--json")
    assert done.json()["status"] == "completed"
    assert done.err == ""
    checked = segue("check", str(project / ".segue/workflows/my_flow.py"))
    assert (checked.code, checked.err) == (0, "")
    assert "SG" not in checked.out


def test_the_line_that_it_prints_works(segue: Callable[..., Done]) -> None:
    import shlex

    printed = segue("new", "other").out.splitlines()[-1]
    words = shlex.split(printed.removeprefix("try it: "))
    assert words[0] == "segue"
    assert segue(*words[1:]).code == 0


def test_nothing_is_overwritten(segue: Callable[..., Done], project: Path) -> None:
    before = (project / ".segue/workflows/review.py").read_bytes()
    done = segue("new", "review")
    assert done.code == 1
    assert done.err.count("\n") == 1
    assert "review.py exists" in done.err
    assert (project / ".segue/workflows/review.py").read_bytes() == before


@pytest.mark.parametrize("name", ["Not-A-Name", "a b", "1st", "a/b", "", "list"])
def test_a_name_that_cannot_be_started_is_refused(segue: Callable[..., Done], name: str) -> None:
    done = segue("new", name)
    assert done.code == 2
    assert "lowercase words" in done.err


def test_underscores_are_read_as_dashes(segue: Callable[..., Done], project: Path) -> None:
    assert segue("new", "two_words").code == 0
    assert 'Workflow("two-words"' in (project / ".segue/workflows/two_words.py").read_text()


def test_it_makes_the_folder_of_the_project_that_is_named(
    segue: Callable[..., Done], tmp_path: Path
) -> None:
    (tmp_path / "elsewhere").mkdir()
    assert segue("new", "hello", "--project", str(tmp_path / "elsewhere")).code == 0
    assert (tmp_path / "elsewhere/.segue/workflows/hello.py").is_file()
