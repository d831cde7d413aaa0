"""plain-summary: one turn whose visible text is the output."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from segue.builtins.plain_summary import Summary

from .scenes import play


def test_the_visible_text_is_the_output() -> None:
    done = play("plain-summary")
    assert (done.status, done.exit, done.output) == ("completed", "said", "It took 9 minutes.")
    assert [step.kind for step in done.steps] == ["assistant"]


def test_the_format_and_what_must_be_in_it_are_said() -> None:
    plain, bullets = play("plain-summary"), play("plain-summary-bullets")
    assert "paragraphs" in plain.message("summary").prompt
    assert "It must include" not in plain.message("summary").prompt
    assert "one list" in bullets.message("summary").prompt
    assert "It must include:\n- how long it took" in bullets.message("summary").prompt


@pytest.mark.parametrize(
    "wrong",
    [
        {"source": "", "purpose": "to know"},
        {"source": "x"},
        {"source": "x", "purpose": "to know", "format": "poem"},
        {"source": "x", "purpose": "to know", "length": 3},
    ],
)
def test_an_input_that_does_not_fit_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Summary.model_validate(wrong)
