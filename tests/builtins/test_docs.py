"""docs/BUILTINS.md: every built-in, its input with the limits, its exits; and its example runs."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from segue.builtins import catalogue
from segue.session.workflow.contract import schema_of
from segue.testing import rehearse

from .scenes import answers, under

TEXT = (Path(__file__).parents[2] / "docs/BUILTINS.md").read_text("utf-8")
ENTRIES = catalogue.read()


def _section(name: str) -> str:
    return re.split(r"^## ", TEXT.partition(f"\n## {name}\n")[2], maxsplit=1, flags=re.M)[0]


@pytest.mark.parametrize("name", ENTRIES)
def test_input_and_exits_are_documented(name: str) -> None:
    section, entry = _section(name), ENTRIES[name]
    for word in (*entry.input, *entry.exits):
        assert f"`{word}`" in section or f"{word}`," in section, word
    for word in entry.exits:
        assert f"`{word}`" in TEXT.partition("\n## ")[0]
    assert "\n> **you** " in section or "\n> **segue** " in section


@pytest.mark.parametrize("name", ENTRIES)
def test_the_limits_are_the_real_ones(name: str) -> None:
    stem = name.replace("-", "_")
    model: Any = getattr(import_module(f"segue.builtins.{stem}"), stem).input
    schema: dict[str, Any] = {**(schema_of(model) or {})}
    for field, part in schema["properties"].items():
        options: list[Any] = part.get("anyOf", [part])
        for option in options:
            most = option.get("maxLength") or option.get("maximum") or option.get("maxItems")
            assert most is None or f"{most:,}" in _section(name), field


def test_the_example_that_includes_plan_change_runs(tmp_path: Path) -> None:
    code = re.search(r"```python\n(.*?)```", _section("plan-change"), re.S)
    assert code is not None
    file = tmp_path / ".segue/workflows/ship.py"
    file.parent.mkdir(parents=True)
    file.write_text(code[1])
    done = rehearse(
        "ship",
        input="Exports time out",
        answers={
            **under("planning/planning", answers()),
            "planning/approval/ask": [{"choice": "continue"}],
            "build": [None],
        },
        project=tmp_path,
    )
    assert done.status == "completed", done.reason
    assert '"title":"Exports of any size by the job worker"' in done.message("build").prompt
