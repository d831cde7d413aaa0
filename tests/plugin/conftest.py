"""What tests of the command line share: a project, its state, and the command in both forms."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from segue.plugin import cli, scaffold

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        assert self.code in (0, 1), self.err
        return json.loads(self.out)


Segue = "Callable[..., Done]"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with the scaffold's workflow `review`, as the working folder."""
    root = tmp_path / "project"
    folder = root / ".segue" / "workflows"
    folder.mkdir(parents=True)
    (folder / "review.py").write_text(scaffold.workflow("review"))
    (root / "answers.json").write_text(scaffold.answers())
    monkeypatch.chdir(root)
    monkeypatch.setenv("SEGUE_STATE_DIR", str(tmp_path / "state"))
    return root


@pytest.fixture
def segue(project: Path, capfd: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    """The command inside this process."""

    def run(*words: str) -> Done:
        capfd.readouterr()
        try:
            code = cli.main(words)
        except SystemExit as left:  # argparse's own way out
            code = int(left.code or 0)
        said = capfd.readouterr()
        return Done(code, said.out, said.err)

    return run


@pytest.fixture
def process(project: Path) -> Callable[..., Done]:
    """The command as a process of its own, without a terminal."""

    def run(*words: str, code: str = "") -> Done:
        command = ["-c", code] if code else ["-m", "segue", *words]
        done = subprocess.run(
            [sys.executable, *command],
            cwd=project,
            env={**os.environ},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture
def kept(segue: Callable[..., Done], project: Path) -> str:
    """A kept run that waits at its second step, because its answers ran out."""
    first = {"inspect": [{"route": "issues_found", "reason": "a fault"}]}
    (project / "half.json").write_text(json.dumps(first))
    done = segue("rehearse", "review", "x", "--keep", "--answers", "half.json")
    assert done.code == 1, done.err
    run: str = segue("runs", "--json").json()[0]["run_id"]
    return run
