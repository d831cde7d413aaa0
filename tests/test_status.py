"""The table of reasons: complete, and nothing in it that a model must not read (D8, H1)."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from segue.session.status import proof
from segue.session.why import ENDED, UNKNOWN, WHY

ROOT = Path(__file__).parents[1]
FACTS = {"run", "session", "node", "request", "until", "proof", "made_by", "this"}


def _stored_reasons() -> set[str]:
    """Give each reason that the core writes into a run that goes on later."""
    found = set()
    for file in (ROOT / "session").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            name = getattr(node.func, "attr", "")
            if name == "park" and node.args and isinstance(node.args[0], ast.Constant):
                found.add(str(node.args[0].value))
            if name == "change":
                found |= {
                    str(k.value.value)
                    for k in node.keywords
                    if k.arg == "reason" and isinstance(k.value, ast.Constant) and k.value.value
                }
    return found


def test_d8_every_stored_reason_has_its_row() -> None:
    stored = _stored_reasons()
    assert {"reopened", "rebound", "paused", "wait", "effect_unknown", "no_progress"} <= stored
    assert stored <= set(WHY)


@pytest.mark.parametrize("reason", [*WHY, "unknown", "ended"])
def test_d8_each_row_uses_only_facts_that_there_are(reason: str) -> None:
    row = {**WHY, "unknown": UNKNOWN, "ended": ENDED}[reason]
    for said in (row.said, row.here, row.command, row.rehearsal):
        assert set(re.findall(r"{(\w+)}", said)) <= FACTS
    assert row.said
    assert "segue " not in row.said  # the explanation reaches models: it names no command
    assert "/workflow" not in row.said


def test_h1_only_a_human_request_is_a_persons_alone() -> None:
    assert [reason for reason, row in WHY.items() if row.person] == ["human"]


def test_d3_who_was_never_attached_is_said_so() -> None:
    assert proof(None, False) == "never attached"


def test_d8_the_docs_list_every_reason() -> None:
    page = (ROOT / "docs" / "COMMANDS.md").read_text("utf-8")
    assert set(WHY) <= set(re.findall(r"`([a-z_]+)`", page))
