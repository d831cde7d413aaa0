"""autodoc: finds what was chosen, records it, verifies it; never plans or implements."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import ValidationError

from segue.builtins.autodoc import Found, Recorded, Verification
from segue.session.canonical import digest
from segue.testing import rehearse

from .scenes import AGREES, FOUND, PLAN, RECORDED, play

if TYPE_CHECKING:
    from pathlib import Path


def test_a_given_plan_is_recorded_and_verified_and_the_receipt_carries_its_digest() -> None:
    done = play("autodoc-given")
    assert done.nodes == ["origin", "record", "inspect", "verify", "receipt"]
    assert done.exit == "documented"
    assert done.output["plan_digest"] == digest(PLAN).hex()
    assert done.output["documents"] == RECORDED["documents"]
    assert done.output["files"][0]["path"] == "docs/export.md"


def test_a_plan_is_found_and_what_is_wrong_with_the_documents_is_repaired() -> None:
    done = play("autodoc-found")
    assert done.exit == "documented"
    assert [answer.accepted for answer in done.answers][:2] == [False, True]
    assert "there is no file docs/export.md" in done.message("record", 2).prompt
    assert "says that the work is done" in done.message("record", 3).prompt
    assert done.output["plan_digest"] == digest(PLAN).hex()


def test_without_a_chosen_plan_it_is_blocked_and_writes_nothing() -> None:
    done = play("autodoc-missing")
    assert (done.exit, done.output["plan_digest"]) == ("blocked", None)
    assert "none agreed" in done.output["blocker"]
    assert "record" not in done.nodes


def test_a_place_that_cannot_be_written_blocks() -> None:
    done = play("autodoc-blocked")
    assert (done.exit, done.output["blocker"]) == ("blocked", "docs/ is made by another project.")
    assert done.output["plan_digest"] == digest(PLAN).hex()


def test_repairs_are_bounded() -> None:
    done = play("autodoc-never-right")
    assert (done.exit, done.nodes.count("record")) == ("blocked", 3)
    assert "still wrong after 2 repairs: docs/export.md:4" in done.output["blocker"]


def test_prompts_neither_plan_nor_implement() -> None:
    done = play("autodoc-found")
    assert "do not choose" in done.message("find").prompt
    assert "Do not change the plan, add to it or carry it out." in done.message("record").prompt


def test_the_documents_are_really_looked_at(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/export.md").write_text("# Exports\n")
    (tmp_path / "docs/link.md").symlink_to("/etc/hosts")
    named = ["docs/none.md", "../outside.md", "docs/link.md"]
    wrong = {
        "status": "recorded",
        "documents": [{"path": path, "holds": "A part of it"} for path in named],
    }
    done = rehearse(
        "builtin:autodoc",
        input={"plan": PLAN},
        answers={"record": [wrong, RECORDED], "verify": [AGREES]},
        run_actions=True,
        project=tmp_path,
    )
    again = done.message("record", 2).prompt
    assert "- there is no file docs/none.md" in again
    assert "- ../outside.md lies outside the project" in again
    assert "- docs/link.md lies outside the project" in again
    sha256 = hashlib.sha256(b"# Exports\n").hexdigest()
    assert done.output["files"] == [{"path": "docs/export.md", "sha256": sha256}]


@pytest.mark.parametrize(
    ("model", "wrong"),
    [
        (Found, {**FOUND, "plan": None}),
        (Found, {**FOUND, "status": "missing"}),
        (Recorded, {"status": "recorded", "documents": []}),
        (Recorded, {"status": "blocked"}),
        (Recorded, {**RECORDED, "blocker": "It cannot be done."}),
        (Verification, {"verdict": "differs"}),
        (Verification, {"verdict": "agrees", "problems": ["a typo in line 3"]}),
    ],
)
def test_an_answer_that_contradicts_itself_is_refused(model: Any, wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        model.model_validate(wrong)
