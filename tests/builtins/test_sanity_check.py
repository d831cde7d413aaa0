"""sanity-check: evidence from git, a review, a second look at its claims, one verdict."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import ValidationError

from segue import ShellResult
from segue.builtins._claims import Judgement, Review, judgement_problems
from segue.builtins._evidence import DIFF_CHARS, diff_of
from segue.builtins.sanity_check import Change
from segue.testing import rehearse

from .scenes import JUDGED, REVIEW, play

if TYPE_CHECKING:
    from pathlib import Path

EVIDENCE = ["base", "begin", "status", "log", "stat", "diff", "scope"]


def test_evidence_is_collected_then_reviewed_then_verified() -> None:
    done = play("sanity-simplify")
    assert done.nodes == [*EVIDENCE, "review", "verify", "settle", "finished"]
    assert (done.exit, done.output["verdict"]) == ("verdict", "simplify")
    assert done.output["rests_on"] == ["duplication-1"]
    assert done.output["strongest_case_for"] == REVIEW["strongest_case_for"]
    assert len(done.output["claims"]) == len(done.output["checked"]) == 5


def test_commands_are_read_only_and_measured_from_the_base() -> None:
    commands = {each.node: each.argv for each in play("sanity-simplify").commands}
    commit = "9f31c0200000000000000000000000000000aaaa"
    assert commands["base"] == ("git", "merge-base", "HEAD", "@{upstream}")
    assert {argv[1] for argv in commands.values()} <= {"merge-base", "status", "log", "diff"}
    assert commands["diff"][-1] == commit
    assert commands["log"][-1] == f"{commit}..HEAD"
    given = {each.node: each.argv for each in play("sanity-repaired").commands}
    assert given["base"] == ("git", "rev-parse", "--verify", "--quiet", "main^{commit}")


def test_the_reviewer_sees_the_evidence_and_the_verifier_the_claims() -> None:
    done = play("sanity-simplify")
    assert "+header = cached()" in done.message("review").prompt
    assert "?? export/cache.py" in done.message("review").prompt
    assert "export/cache.py:3: def cached():" in done.message("verify").prompt
    assert REVIEW["strongest_case_for"] in done.message("verify").prompt


def test_every_aspect_is_reviewed_and_every_claim_verified_exactly_once() -> None:
    done = play("sanity-repaired")
    assert [answer.accepted for answer in done.answers] == [False, True, True, True]
    assert "checked has nothing on claim 'necessity-1'" in done.message("verify", 2).prompt
    assert done.exit == "verdict"


def test_repairs_are_bounded() -> None:
    done = play("sanity-never-right")
    assert (done.status, done.nodes.count("verify")) == ("failed", 4)
    assert "still wrong after 3 repairs" in str(done.reason)


def test_without_a_change_nobody_is_asked() -> None:
    done = play("sanity-nothing")
    assert (done.output["verdict"], done.messages) == ("needs_evidence", ())
    assert "Nothing has changed" in done.output["why"]


def test_without_an_upstream_branch_the_last_commit_is_the_base() -> None:
    assert play("sanity-no-upstream").output["base"] == "HEAD"


def test_a_base_that_is_no_commit_is_named() -> None:
    assert "base_ref 'nowhere' names no commit" in str(play("sanity-no-such-base").reason)


@pytest.mark.parametrize("wrong", ["--output=x", "a b", "", "x" * 201])
def test_a_base_that_git_could_take_for_an_option_is_refused(wrong: str) -> None:
    with pytest.raises(ValidationError):
        Change(base_ref=wrong)


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        ({"checked": JUDGED["checked"][1:]}, "nothing on claim 'necessity-1'"),
        ({"checked": [*JUDGED["checked"], JUDGED["checked"][0]]}, "more than once"),
        ({"checked": [*JUDGED["checked"], {**JUDGED["checked"][0], "id": "x"}]}, "'x' is no claim"),
        ({"rests_on": []}, "confirmed claim against"),
        ({"rests_on": ["necessity-1"]}, "confirmed claim against"),
        ({"rests_on": ["scope-2"]}, "'scope-2' is no claim"),
        (
            {
                "verdict": "needs_evidence",
                "checked": [{**each, "result": "confirmed"} for each in JUDGED["checked"]],
            },
            "no claim is unproven",
        ),
    ],
)
def test_a_verdict_rests_on_what_was_verified(changed: dict[str, Any], complaint: str) -> None:
    claims = Review.model_validate(REVIEW).claims
    found = judgement_problems(claims, Judgement.model_validate({**JUDGED, **changed}))
    assert any(complaint in problem for problem in found)


@pytest.mark.parametrize("verdict", ["keep", "simplify", "refactor", "drop", "needs_evidence"])
def test_each_verdict_can_be_given(verdict: str) -> None:
    claims = Review.model_validate(REVIEW).claims
    assert (
        judgement_problems(claims, Judgement.model_validate({**JUDGED, "verdict": verdict})) == []
    )


def test_a_review_without_an_aspect_or_evidence_is_refused() -> None:
    with pytest.raises(ValidationError, match="none on: tests"):
        Review.model_validate({**REVIEW, "claims": [*REVIEW["claims"][:4], _again("scope-2")]})
    bare = [{**each, "evidence": []} for each in REVIEW["claims"]]
    with pytest.raises(ValidationError):
        Review.model_validate({**REVIEW, "claims": bare})


def _again(name: str) -> dict[str, Any]:
    return {**REVIEW["claims"][3], "id": name}


def test_evidence_is_cut_and_says_so() -> None:
    kept = diff_of(ShellResult(stdout="x" * (DIFF_CHARS + 5), stdout_dropped=7))
    assert (len(kept.text), kept.left_out) == (DIFF_CHARS, 12)
    assert kept.shown().endswith("[... 12 more characters: run git yourself]")


def test_the_commands_do_what_they_are_for(tmp_path: Path) -> None:
    def git(*words: str) -> None:
        identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        subprocess.run(["git", *identity, *words], cwd=tmp_path, check=True, capture_output=True)

    git("init", "-b", "main")
    (tmp_path / "a.txt").write_text("one\n")
    git("add", ".")
    git("commit", "-m", "First")
    git("checkout", "-b", "topic")
    (tmp_path / "a.txt").write_text("two\n")
    git("commit", "-am", "Second")
    (tmp_path / "new.txt").write_text("three\n")
    done = rehearse(
        "builtin:sanity-check",
        input={"base_ref": "main"},
        answers={"review": [REVIEW], "verify": [JUDGED]},
        run_actions=True,
        project=tmp_path,
    )
    seen = done.message("review").prompt
    assert "-one\n+two" in seen
    assert "Second" in seen
    assert "First" not in seen
    assert "?? new.txt" in seen
    assert done.exit == "verdict"
