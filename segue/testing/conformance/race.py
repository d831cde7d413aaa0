"""Several real processes that start at the same moment, and one that is killed at any."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path


def process(
    script: Path, what: str, folder: Path, session: str, number: int, **env: str
) -> subprocess.Popen[str]:
    """Start one racer."""
    return subprocess.Popen(
        [sys.executable, str(script), what, str(folder), session, str(number)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **env},
    )


def race(
    script: Path, what: str, folder: Path, count: int, session: str = "a", **env: str
) -> list[list[dict[str, Any]]]:
    """Start `count` racers, let them go at once, and give what each of them said.

    Raises:
        AssertionError: One of them failed.
    """
    racers = [process(script, what, folder, session, number, **env) for number in range(count)]
    try:
        for number, racer in enumerate(racers):
            while not (folder / f"ready-{number}").exists() and racer.poll() is None:
                time.sleep(0.002)
        (folder / "go").touch()
        said = []
        for racer in racers:
            out, err = racer.communicate()
            assert racer.returncode == 0, err
            said.append([json.loads(line) for line in out.splitlines()])
        return said
    finally:
        for racer in racers:
            racer.kill()
            racer.wait()
