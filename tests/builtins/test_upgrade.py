"""D5: a run of a built-in goes on with the copies it was started with, whatever Segue is installed.

An upgrade is another `segue` package before the installed one on the worker's path.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import segue
from segue.session.canonical import digest
from segue.session.errors import Conflict

from ..kit import Desk, desk, drive
from .scenes import EXAMPLE, PLAN, PROBLEM, answers

if TYPE_CHECKING:
    from collections.abc import Iterator

HALF_WAY = ("capture_intent", "frame", "solutions")


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Desk]:
    made = desk(tmp_path / "desk")
    yield made
    made.close()


@pytest.fixture
def upgraded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a copy of the package; workers that start from now on load that one."""
    package = tmp_path / "upgraded" / "segue"
    shutil.copytree(
        Path(segue.__file__).parent,
        package,
        ignore=shutil.ignore_patterns("__pycache__", "clients"),
    )
    monkeypatch.setenv("PYTHONPATH", str(package.parent))
    return package


def _change(file: Path, old: str, new: str) -> None:
    text = file.read_text("utf-8")
    assert old in text
    file.write_text(text.replace(old, new), "utf-8")


def _first_half() -> dict[str, list[Any]]:
    return {path: items for path, items in answers().items() if path in HALF_WAY}


def _second_half() -> dict[str, list[Any]]:
    return {path: items for path, items in answers().items() if path not in HALF_WAY}


def test_a_waiting_run_finishes_with_its_pinned_copy(here: Desk, upgraded: Path) -> None:
    runner = here.start("builtin:autoplan", PROBLEM)
    assert drive(runner, _first_half()).kind == "asking"
    _change(upgraded / "builtins/autoplan.py", "Choose one candidate.", "Choose by lot.")
    _change(upgraded / "builtins/_plan.py", "hashlib.sha256", "hashlib.md5")
    _change(upgraded / "builtins/plain_summary.py", "Summarise the source", "Sing the source")
    again = here.again(runner)
    assert drive(again, {"holy_grail": EXAMPLE["holy_grail"]}).text.startswith("Choose one cand")
    standing = drive(again, {**_second_half(), "ready_summary/summary": []})
    assert standing.text.startswith("Summarise the source")
    assert drive(again, _second_half()).kind == "ended"
    result = here.service.report(again.run.id).output
    assert isinstance(result, dict)
    assert result["plan_digest"] == digest(PLAN).hex()


def test_a_new_run_has_the_new_text(here: Desk, upgraded: Path) -> None:
    _change(upgraded / "builtins/autoplan.py", "Write down, as one text,", "Sing, as one song,")
    assert drive(here.start("builtin:autoplan", PROBLEM)).text.startswith("Sing, as one song,")


def test_a_module_that_only_the_new_version_has_is_never_mixed_in(
    here: Desk, upgraded: Path
) -> None:
    runner = here.start("builtin:autoplan", PROBLEM)
    drive(runner, _first_half())
    (upgraded / "builtins/_newer.py").write_text("print('never')")
    _change(
        upgraded / "builtins/_planning.py",
        "from collections import Counter",
        "import segue.builtins._newer\nfrom collections import Counter",
    )
    assert drive(here.again(runner), {"holy_grail": EXAMPLE["holy_grail"]}).kind == "asking"


def test_a_copy_that_can_no_longer_run_parks_the_run_and_says_why(
    here: Desk, upgraded: Path
) -> None:
    runner = here.start("builtin:plan-approval", {"plan": PLAN})
    assert drive(runner).kind == "asking"
    _change(upgraded / "__init__.py", '    "Workflow": "definition",\n', "")
    again = here.again(runner)
    with pytest.raises(Conflict, match="cannot import name 'Workflow'"):
        drive(again, {"ask": [{"choice": "stop"}]})
    assert (again.run.state, again.run.reason) == ("waiting", "cannot_load")
    shutil.copy(Path(segue.__file__), upgraded / "__init__.py")
    back = here.again(again)
    back.resume()
    assert drive(back, {"ask": [{"choice": "stop"}]}).run.exit == "stop"
