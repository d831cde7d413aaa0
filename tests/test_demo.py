"""`make demo` proves what it says, and its example is one to learn from."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from segue.plugin import cli
from segue.testing import rehearse

EXAMPLES = Path(__file__).parents[1] / "examples"


def test_the_demo_kills_a_process_and_nothing_is_lost_or_repeated() -> None:
    """D2."""
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / "demo.py")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    assert "killed by SIGKILL" in done.stdout
    assert "8 steps done, going on at editing/look (visit 2)" in done.stdout
    assert done.stdout.endswith("nothing was lost, nothing was repeated\n")
    assert "✗" not in done.stdout.rpartition("What the two journals say")[2].partition("\n\n  ✓")[2]
    assert all(len(line) <= 80 for line in done.stdout.splitlines())


def test_the_example_has_what_a_workflow_can_have() -> None:
    import json

    answers = json.loads((EXAMPLES / "release_notes.answers.json").read_text("utf-8"))
    done = rehearse("release-notes", input="2.0.0", answers=answers, project=EXAMPLES)
    assert done.status == "completed"
    assert done.left_over == {}
    assert {step.kind for step in done.steps} == {
        "agent",
        "assistant",
        "action",
        "checkpoint",
        "compute",
        "notify",
        "shell",
        "wait",
    }
    assert [a.accepted for a in done.answers if a.node == "draft"] == [False, True]
    assert [s.outcome for s in done.steps if s.node == "tests"] == ["failed", "ok"]
    assert done.skipped == {"settle": 2 * 3600 * 1000} or done.skipped["settle"] > 7_190_000
    assert [step.visit for step in done.steps if step.node == "editing/look"] == [1, 2]
    assert done.notices == ("2.0.0 is out: RELEASE-2.0.0.md",)


def test_the_examples_of_the_demo_are_clean_without_hints(capsys: object) -> None:
    for name in ("release_notes.py", "proofread.py"):
        assert cli.main(["check", str(EXAMPLES / ".segue/workflows" / name)]) == 0
