"""The skills: one for operating, one for authoring, one for each built-in; started once."""

from __future__ import annotations

import json
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from segue.builtins import catalogue
from segue.session.grammar import VERBS
from segue.session.tool import ACTIONS, FIELDS

SKILLS = Path(__file__).parents[2] / "plugin" / "skills"
FILES = sorted(SKILLS.glob("*/SKILL.md"))
STARTABLE = [name for name, entry in catalogue.read().items() if not entry.mount_only]

pytestmark = pytest.mark.parametrize("file", FILES, ids=lambda file: file.parent.name)


def _front(file: Path) -> dict[str, str]:
    """Read the front matter as any YAML reader would: plain scalars, one a line."""
    text = file.read_text("utf-8")
    assert text.startswith("---\n")
    head = text.split("---\n")[1]
    return dict(line.split(": ", 1) for line in head.splitlines())


def _calls(file: Path) -> list[dict[str, Any]]:
    """Give each call of the tool that a skill shows."""
    found = re.findall(r'\{"action":[^`]*\}', file.read_text("utf-8"))
    return [json.loads(" ".join(call.split())) for call in found]


def test_its_front_matter_is_the_open_formats(file: Path) -> None:
    front = _front(file)
    assert list(front) == ["name", "description"]
    assert front["name"] == file.parent.name
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", front["name"])
    assert len(front["name"]) <= 64
    assert 40 <= len(front["description"]) <= 1024
    assert ": " not in front["description"]  # else it had to be quoted
    assert " #" not in front["description"]


def test_it_starts_once_and_then_ends_the_turn(file: Path) -> None:
    text = " ".join(file.read_text("utf-8").split()).lower()
    assert "start it once" in text
    assert "end your turn" in text
    assert sum(call["action"] == "start" for call in _calls(file)) == 1


def test_it_is_short(file: Path) -> None:
    assert len(file.read_text("utf-8").splitlines()) <= 90


def test_its_calls_are_calls_that_the_tool_takes(file: Path) -> None:
    for call in _calls(file):
        action = ACTIONS[call["action"]]
        assert call.keys() - {"action"} <= {*action.required, *action.optional}
        assert call.keys() <= FIELDS.keys()


def test_a_built_ins_example_input_is_accepted(file: Path) -> None:
    start = next(call for call in _calls(file) if call["action"] == "start")
    if start["workflow"] not in STARTABLE:
        assert file.parent.name in ("segue-workflows", "segue-authoring")
        return
    assert file.parent.name == f"segue-{start['workflow']}"
    stem = start["workflow"].replace("-", "_")
    module = import_module(f"segue.builtins.{stem}")
    getattr(module, stem).input.model_validate(start["input"])


def test_each_field_of_a_built_in_is_explained(file: Path) -> None:
    entry = catalogue.read().get(file.parent.name.removeprefix("segue-"))
    for field in entry.input if entry else ():
        assert f"`{field.rstrip('?')}`" in file.read_text("utf-8")


def test_what_a_person_types_is_there(file: Path) -> None:
    for verb in re.findall(r"/workflow ([a-z]+)", file.read_text("utf-8")):
        assert verb in VERBS


def test_it_names_no_command_that_only_a_person_may_use(file: Path) -> None:
    """H1: answering, rebinding and trusting at a terminal are never named to the model."""
    assert not re.search(r"segue (answer|rebind|trust)\b", file.read_text("utf-8"))


def test_every_built_in_that_can_be_started_has_one(file: Path) -> None:
    names = {each.parent.name for each in FILES}
    assert {f"segue-{name}" for name in STARTABLE} == names - {"segue-workflows", "segue-authoring"}
