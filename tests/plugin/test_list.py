"""`segue list`: what can be run here, read as text only (S1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pytest

    from .conftest import Done


def test_a_project_without_workflows_is_told_how_to_write_one(
    segue: Callable[..., Done], project: Path
) -> None:
    (project / ".segue/workflows/review.py").unlink()
    done = segue("list")
    assert done.code == 0
    assert "segue new" in done.out or " builtin " in done.out


def test_names_places_and_descriptions_are_listed(
    segue: Callable[..., Done], project: Path
) -> None:
    assert " ".join(segue("list").out.split()).count("review project Review a change") == 1
    listed = {found["name"]: found for found in segue("list", "--json").json()}
    assert listed["review"] == {
        "name": "review",
        "ref": "project:review",
        "path": str(project / ".segue/workflows/review.py"),
        "origin": "project",
        "title": "",
        "description": "Review a change, fix what is found, and look again.",
        "shadows": [],
    }


def test_listing_runs_nothing_and_keeps_nothing(
    segue: Callable[..., Done], project: Path, tmp_path: Path
) -> None:
    """S1: a file that would do harm when it is imported is only read."""
    trap = project / ".segue/workflows/trap.py"
    trap.write_text('"""Harm."""\nopen("harm", "w")\nfrom segue import Workflow\n')
    assert "Harm." in segue("list").out
    assert not (project / "harm").exists()
    assert not (tmp_path / "state").exists()


def test_a_mount_only_workflow_is_left_out(segue: Callable[..., Done], project: Path) -> None:
    text = 'from segue import Workflow\npart = Workflow("part", start="a", mount_only=True)\n'
    (project / ".segue/workflows/part.py").write_text(text)
    assert "part" not in [found["name"] for found in segue("list", "--json").json()]


def test_what_is_hidden_by_a_nearer_file_is_named(
    segue: Callable[..., Done], nobody: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = nobody / ".config/segue/workflows"
    user.mkdir(parents=True)
    (user / "review.py").write_text((project / ".segue/workflows/review.py").read_text())
    found = next(f for f in segue("list", "--json").json() if f["name"] == "review")
    if found["shadows"]:  # where the platform's config folder is another one, nothing is hidden
        assert found["shadows"] == ["user:review"]
