"""Names that can be typed, put into a path, and told apart from the words of /workflow."""

from __future__ import annotations

import pytest

from segue.session.workflow.names import RESERVED, is_part_name, is_workflow_name, workflow_name


@pytest.mark.parametrize("name", ["a", "review", "review-it", "v2", "a-b-3", "x" * 64])
def test_workflow_names(name: str) -> None:
    assert is_workflow_name(name)


@pytest.mark.parametrize(
    "name",
    ["", "A", "2x", "-a", "a-", "a--b", "a_b", "a b", "é", "a/b", "a\n", "a.b", "x" * 65],
)
def test_no_workflow_names(name: str) -> None:
    assert not is_workflow_name(name)


@pytest.mark.parametrize("name", ["a", "_a", "Fix_2", "a-b", "x" * 64])
def test_part_names(name: str) -> None:
    assert is_part_name(name)


@pytest.mark.parametrize("name", ["", "2a", "-a", "a/b", "a.b", "a b", "é", "a\n", "x" * 65])
def test_no_part_names(name: str) -> None:
    """A slash would be a mount's, a dot an exit's."""
    assert not is_part_name(name)


def test_a_stem_s_underscores_are_read_as_dashes() -> None:
    assert workflow_name("review_the_change") == "review-the-change"


def test_each_reserved_word_would_otherwise_be_a_name() -> None:
    assert all(is_workflow_name(word) for word in RESERVED)
