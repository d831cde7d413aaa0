"""`segue resume`: going on, and saying what became of an effect that a crash left unknown."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from .conftest import Done

PAY = """
from segue import Context, Workflow

pay = Workflow("pay", start="transfer")


@pay.action(effect="manual")
def transfer(ctx: Context) -> str:
    import os, signal

    with open(ctx.project / "ledger", "a") as ledger:
        ledger.write("paid\\n")
    if (ctx.project / "kill").exists():
        os.kill(os.getppid(), signal.SIGKILL)
        signal.pause()
    return "paid"


@pay.compute
def done(ctx: Context) -> str:
    return ctx.output(transfer)


@pay.notify
def sorry(_ctx: Context) -> str:
    return "it did not work"


pay.edge(transfer, done)
pay.on_failure(transfer, sorry)
"""


@pytest.fixture
def unknown(project: Path, segue: Callable[..., Done]) -> str:
    """A run whose process was killed in the middle of a manual effect."""
    (project / ".segue/workflows/pay.py").write_text(PAY)
    (project / "kill").touch()
    command = [sys.executable, "-m", "segue", "rehearse", "pay", "--keep", "--run-actions"]
    done = subprocess.run(command, cwd=project, env={**os.environ}, capture_output=True)
    assert done.returncode == -signal.SIGKILL
    (project / "kill").unlink()
    run: str = segue("runs", "--json").json()[0]["run_id"]
    told = segue("resume", run, "--run-actions")
    assert told.code == 1
    assert f"segue resume {run} --effect done|again|failed" in told.out + told.err
    assert (project / "ledger").read_text() == "paid\n"
    return run


def test_an_unknown_effect_stands_still_until_a_person_says_it(
    segue: Callable[..., Done], project: Path, unknown: str
) -> None:
    assert segue("show", unknown, "--json").json()["status"] == "ambiguous"
    done = segue("resume", unknown, "--run-actions")
    assert done.code == 1
    assert "--effect done|again|failed" in done.err
    assert (project / "ledger").read_text() == "paid\n"


def test_done_takes_the_output_that_the_person_gives(
    segue: Callable[..., Done], project: Path, unknown: str
) -> None:
    made = segue("resume", unknown, "--effect", "done", "--output", '"by hand"', "--json").json()
    assert (made["status"], made["output"]) == ("completed", "by hand")
    assert (project / "ledger").read_text() == "paid\n"


def test_again_runs_it_again(segue: Callable[..., Done], project: Path, unknown: str) -> None:
    made = segue("resume", unknown, "--effect", "again", "--run-actions", "--json").json()
    assert (made["status"], made["output"]) == ("completed", "paid")
    assert (project / "ledger").read_text() == "paid\npaid\n"


def test_failed_follows_the_failure_route(segue: Callable[..., Done], unknown: str) -> None:
    made = segue("resume", unknown, "--effect", "failed", "--json").json()
    assert made["output"] == "it did not work"
    assert [s["outcome"] for s in made["steps"]] == ["failed", "ok"]


def test_an_output_that_does_not_fit_changes_nothing(
    segue: Callable[..., Done], unknown: str
) -> None:
    done = segue("resume", unknown, "--effect", "done", "--output", "7")
    assert done.code == 1
    assert "--output does not fit" in done.err
    assert segue("show", unknown, "--json").json()["status"] == "ambiguous"


def test_a_kept_rehearsal_goes_on(segue: Callable[..., Done], kept: str) -> None:
    done = segue("resume", kept, "--answers", "answers.json")
    assert done.code == 0
    assert done.out.startswith("1 step done, going on at fix\n")


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("--effect", "done"), 1, "no effect of it is unknown"),
        (("--output", "1"), 2, "--output goes with --effect done"),
        (("--effect", "perhaps"), 2, "invalid choice"),
    ],
)
def test_a_wrong_call_says_why(
    segue: Callable[..., Done], kept: str, words: tuple[str, ...], code: int, said: str
) -> None:
    done = segue("resume", kept, *words)
    assert done.code == code
    assert said in done.err


def test_a_run_that_has_ended_shows_its_end_and_changes_nothing(
    segue: Callable[..., Done], kept: str
) -> None:
    segue("resume", kept, "--answers", "answers.json")
    before = segue("show", kept, "--json", "--events").json()
    done = segue("resume", kept)
    assert done.code == 0
    assert "completed after 4 steps" in done.out
    assert segue("show", kept, "--json", "--events").json() == before


def test_a_run_that_a_living_process_drives_is_left_to_it(
    segue: Callable[..., Done], project: Path
) -> None:
    """Two processes at once: the second names the first and touches nothing."""
    code = (
        "import sys\nfrom segue.plugin import cli, setting\n"
        "def answer(*_):\n    print('asked', flush=True)\n    sys.stdin.read()\n    sys.exit(0)\n"
        "setting.Scripted.answer = answer\n"
        "cli.main(['rehearse', 'review', 'x', '--keep', '--answers', 'answers.json', '--json'])"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=project,
        env={**os.environ},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "asked\n"
        run = segue("runs", "--json").json()[0]
        assert run["status"] == "running"
        done = segue("resume", run["run_id"], "--answers", "answers.json")
        assert done.code == 1
        assert f"driven by process {other.pid}" in done.err
        other.communicate("")
    assert json.loads(segue("resume", run["run_id"], "--answers", "answers.json", "--json").out)
