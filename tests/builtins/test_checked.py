"""The built-ins and the examples keep the rules that authors are given, hints included."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("words", [["builtins", "--load"], ["examples"]])
def test_segue_check_has_nothing_to_say(words: list[str], tmp_path: Path) -> None:
    folder, *options = words
    done = subprocess.run(
        [sys.executable, "-m", "segue", "check", str(ROOT / folder), "--json", *options],
        env={**os.environ, "SEGUE_STATE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found if isinstance(found, list) else found["findings"]) == []
