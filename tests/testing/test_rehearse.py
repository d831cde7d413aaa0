"""`segue.testing.rehearse`: what authors can assert on, and what it costs pytest."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from segue.plugin import scaffold
from segue.session.answers import AnswersRanOut
from segue.session.errors import InputInvalid, NotFound, UsageError, WorkflowInvalid
from segue.testing import rehearse

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from segue.testing.rehearsed import Rehearsed

FAULT: dict[str, Any] = {"route": "issues_found", "reason": "a fault"}
FINE: dict[str, Any] = {"route": "clean", "reason": "all is well"}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project" / ".segue" / "workflows"
    folder.mkdir(parents=True)
    (folder / "review.py").write_text(scaffold.workflow("review"))
    (folder / "build.py").write_text(BUILD)
    return tmp_path / "project"


BUILD = """
from segue import Context, ShellResult, Workflow

build = Workflow("build", start="make")
pause = build.wait("pause", seconds=90)


@build.shell(effect="idempotent")
def make(ctx: Context) -> list[str]:
    return ["sh", "-c", "pwd; echo made > made"]


@build.notify
def tell(ctx: Context) -> str:
    return ctx.output(make).stdout


build.edge(make, pause)
build.edge(pause, tell)
"""


def test_the_result_tells_how_the_run_went(project: Path) -> None:
    answers: dict[str, list[Any]] = {"inspect": [FAULT, FINE], "fix": [None]}
    done = rehearse("review", input={"task": "x"}, answers=answers, project=project)
    assert done.run_id.startswith("run-")
    assert (done.status, done.reason) == ("completed", None)
    assert done.output == {"task": "x", "verdict": "all is well"}
    assert done.nodes == ["inspect", "fix", "inspect", "done"]
    assert [(s.node, s.visit, s.outcome) for s in done.steps][2] == ("inspect", 2, "ok")
    assert done.left_over == {}


def test_prompts_can_be_asserted_on(project: Path) -> None:
    answers: dict[str, list[Any]] = {"inspect": [FAULT, FINE], "fix": [None]}
    done = rehearse("review", input="the login page", answers=answers, project=project)
    message = done.message("fix")
    assert message.prompt == "Fix what the review found: a fault"
    assert message.prompt in message.text
    assert "output is null" in message.text
    assert done.message("inspect", visit=2).kind == "output"
    with pytest.raises(LookupError, match=r"at: inspect \(visit 1\), fix \(visit 1\)"):
        done.message("fix", visit=7)


def test_a_rejected_answer_is_kept_with_what_came_back(project: Path) -> None:
    answers = {"inspect": [{"route": "perhaps"}, FINE]}
    done = rehearse("review", input="x", answers=answers, project=project)
    first, second = done.answers
    assert (first.accepted, second.accepted) == (False, True)
    assert "issues_found" in first.message
    assert len(done.messages) == 1


def test_a_file_can_be_named_directly(project: Path) -> None:
    file = project / ".segue" / "workflows" / "review.py"
    done = rehearse(file, input="x", answers={"inspect": [FINE]}, project=project)
    assert done.status == "completed"


def test_effects_are_scripted_unless_they_are_to_run(project: Path, tmp_path: Path) -> None:
    scripted = rehearse("build", answers={"make": [{"stdout": "scripted"}]}, project=project)
    assert scripted.notices == ("scripted",)
    assert scripted.commands[0].argv[:2] == ("sh", "-c")
    assert 89_000 <= scripted.skipped["pause"] <= 90_000
    real = rehearse("build", run_actions=True, project=project, run_in=tmp_path)
    assert real.notices == (f"{tmp_path.resolve()}\n",)
    assert (tmp_path / "made").exists()
    assert not (project / "made").exists()


def test_a_failed_run_says_why(project: Path) -> None:
    done = rehearse("build", answers={"make": [{"exit_code": 3}]}, project=project)
    assert done.status == "failed"
    assert "exited with code 3" in (done.reason or "")


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"workflow": "revew"}, NotFound),
        ({"workflow": "review", "input": {"task": 7}}, InputInvalid),
        ({"workflow": "review", "input": "x"}, AnswersRanOut),
        ({"workflow": "review", "input": "x", "answers": {"inspekt": []}}, UsageError),
        ({"workflow": "review", "input": "x", "answers": []}, UsageError),
        ({"workflow": "wrong"}, WorkflowInvalid),
    ],
)
def test_what_is_wrong_with_the_call_is_raised(
    project: Path, arguments: dict[str, Any], error: type[Exception]
) -> None:
    (project / ".segue/workflows/wrong.py").write_text(
        'from segue import Workflow\nwrong = Workflow("wrong", start="nowhere")\n'
    )
    with pytest.raises(error):
        rehearse(**arguments, project=project)


def test_the_fixture_runs_in_the_tests_own_folder(
    segue_rehearse: Callable[..., Rehearsed], project: Path, tmp_path: Path
) -> None:
    file = project / ".segue" / "workflows" / "build.py"
    done = segue_rehearse(file, run_actions=True)
    assert done.notices == (f"{tmp_path.resolve()}\n",)


def test_no_state_of_the_persons_is_touched(project: Path, nobody: Path) -> None:
    rehearse("review", input="x", answers={"inspect": [FINE]}, project=project)
    assert list(nobody.rglob("*.sqlite3")) == []


@pytest.mark.parametrize("module", ["segue.testing", "segue.testing.fixture"])
def test_the_plugin_costs_pytest_nothing(module: str) -> None:
    """Nothing of the core, and no pydantic, is imported when pytest starts."""
    code = (
        f"import sys, {module}\nprint([m for m in sys.modules if m.startswith('pydantic') or"
        " m.startswith(('segue.session', 'segue.plugin'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
