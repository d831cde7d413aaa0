"""The author's API keeps its types (product.md section 4), as mypy and as pyright see them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
GOOD = ROOT / "tests" / "typing" / "good.py"
FAULTS = ROOT / "tests" / "typing" / "faults.py"

Reported = set[tuple[str, int]]


def _json(*argv: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", *argv, str(GOOD), str(FAULTS)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout, done.stderr
    return done.stdout


def mypy() -> Reported:
    lines: list[dict[str, Any]] = [
        json.loads(line) for line in _json("mypy", "--strict", "--output=json").splitlines()
    ]
    return {(Path(e["file"]).name, e["line"]) for e in lines if e["severity"] == "error"}


def pyright() -> Reported:
    said = json.loads(_json("pyright", "--outputjson", "--pythonpath", sys.executable))
    return {
        (Path(e["file"]).name, e["range"]["start"]["line"] + 1)
        for e in said["generalDiagnostics"]
        if e["severity"] == "error"
    }


def _marked() -> Reported:
    lines = FAULTS.read_text("utf-8").splitlines()
    return {(FAULTS.name, n) for n, line in enumerate(lines, 1) if "# fault: " in line}


@pytest.mark.parametrize("checker", [mypy, pyright])
def test_each_planted_fault_is_reported_and_nothing_else_is(checker: Any) -> None:
    """Right use of every node kind passes, and each of the author's mistakes is caught."""
    marked = _marked()
    assert len(marked) > 25
    assert checker() == marked
