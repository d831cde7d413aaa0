"""What people and models are told to do: approvals to people alone (H1), real commands (D8)."""

from __future__ import annotations

import ast
import json
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from segue.plugin.commands import COMMANDS
from segue.session import grammar, text, tool
from segue.session.ownership import Actor, Who
from tests.plugin.hosted import FLOWS, House, Talk, no_agent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from segue.session.binding import Binding

ROOT = Path(__file__).parents[1]
APPROVAL = re.compile(r"segue[\s`]+(answer|rebind|trust)\b")
TOLD_TO_PEOPLE = {"session/launches.py"}
"""Files of the core that may name an approval: by actor, in a branch that no model reaches."""


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    no_agent(monkeypatch)
    monkeypatch.setenv("SEGUE_STATE_DIR", str(tmp_path / "state"))
    (tmp_path / "project").mkdir()
    made = House(tmp_path / "project")
    yield made
    made.close()


@cache
def _texts(file: Path) -> tuple[str, ...]:
    """Give the texts of a module, f-strings as one with a mark for each value."""
    return tuple(_read(file))


def _read(file: Path) -> Iterator[str]:
    inside: set[ast.AST] = set()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.JoinedStr):
            inside.update(node.values)
            yield "".join(
                v.value if isinstance(v, ast.Constant) and isinstance(v.value, str) else "{}"
                for v in node.values
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in inside:
            yield node.value


def _modules(*rooms: str) -> list[Path]:
    return [file for room in rooms for file in sorted((ROOT / room).rglob("*.py"))]


def test_h1_no_text_of_the_core_names_an_approval_but_to_people() -> None:
    named = {
        str(file.relative_to(ROOT))
        for file in _modules("session")
        for said in _texts(file)
        if APPROVAL.search(said)
    }
    assert named == TOLD_TO_PEOPLE


def test_h1_the_tool_and_a_steps_text_name_no_approval() -> None:
    schema = json.dumps(tool.schema()) + tool.DESCRIPTION
    said = [schema, *_texts(Path(text.__file__)), *_texts(Path(tool.__file__))]
    assert not [t for t in said if APPROVAL.search(t)]
    assert "decide" not in tool.ACTIONS
    assert "rebind" not in tool.ACTIONS


class Model:
    """Calls the tool in every way and keeps all that it is told."""

    def __init__(self, binding: Binding, talk: Talk) -> None:
        self.binding = binding
        self.talk = talk
        self.told: list[str] = []

    def call(self, **arguments: Any) -> tool.Result:
        result = tool.call(self.binding, arguments, f"call-{len(self.told)}")
        self.told.append(result.text + json.dumps(result.data))
        return result

    def everything(self, run: str, request: str) -> list[str]:
        for action in tool.ACTIONS:
            self.call(action=action)
        for request_id in (request, "req_nope", ""):
            for action in ("submit", "answer"):
                self.call(action=action, request_id=request_id, output={"choice": "approve"})
            self.call(action="update", request_id=request_id, message="m")
        for named in (run, "run-nope", ""):
            self.call(action="status", run=named)
            self.call(action="read", run=named, reference="output:ok")
        for name in ("ship", "nope"):
            self.call(action="start", workflow=name)
        return self.told + [offer.text for offer in self.talk.offers if offer.starts_turn]


@pytest.mark.parametrize("name", ["ship", "gate"])
@pytest.mark.parametrize("state", ["asked", "paused", "reopened", "ended"])
def test_h1_a_model_is_never_told_how_to_approve(house: House, name: str, state: str) -> None:
    """H1: whatever it calls, wherever the run stands."""
    binding, talk, run = house.start(name)
    request = binding.runner.request if binding.runner else None
    if state == "paused":
        grammar.command(binding, "pause")
    elif state == "ended":
        grammar.command(binding, "cancel")
    elif state == "reopened":
        binding, _ = house.bind(instance="i2", talk=talk)
    told = Model(binding, talk).everything(run, "" if request is None else request.id)
    assert not [t for t in told if APPROVAL.search(t)]


def test_h1_s1_a_model_is_told_to_ask_the_person_for_trust_and_a_person_how(house: House) -> None:
    house.write("talk")
    binding = house.service().bind(
        "pi", "a", instance="i", capabilities=house.bind("b")[0].capabilities
    )
    house.bindings.append(binding)
    refused = tool.call(binding, {"action": "start", "workflow": "talk"}, "c")
    assert refused.data["code"] == "untrusted"
    assert "tell the person" in refused.text
    assert not APPROVAL.search(refused.text)
    with pytest.raises(Exception, match="`segue trust`"):
        binding.start("talk", actor=Actor(Who.PERSON, binding.key), launch_id="1")


def test_o3_a_model_cannot_answer_for_a_person(house: House) -> None:
    """O3, H1: not by the tool, and not by the service behind it."""
    binding, _, run = house.start("ship")
    assert binding.runner is not None
    assert binding.runner.request is not None
    request = binding.runner.request
    model = Actor(Who.MODEL, binding.key)
    for attempt in (
        lambda: binding.decide(request.id, "approve", None, request.shown, actor=model),
        lambda: binding.service.decide(request.id, "approve", None, request.shown, model),
        lambda: binding.service.rebind(binding.service.find_run(run), binding.key, model),
        lambda: binding.settle("again", None, actor=model),
    ):
        with pytest.raises(Exception, match="may not"):
            attempt()
    assert binding.service.outlook(run).status.reason == "human"


# --- D8

_SEGUE = re.compile(r"(?<!from )(?<![\w.-])segue ([a-z]+)\b")
_TYPED = re.compile(r"/workflow ([a-z]+)\b")


def test_d8_every_command_named_in_a_message_is_one_that_there_is() -> None:
    named = {
        (str(file.relative_to(ROOT)), word)
        for file in _modules("session", "plugin")
        for said in _texts(file)
        for word in _SEGUE.findall(said)
    }
    assert named
    assert not {(file, word) for file, word in named if word not in COMMANDS}


def test_d8_every_word_after_the_slash_command_is_one_that_there_is() -> None:
    named = {
        word
        for file in _modules("session", "plugin")
        for said in _texts(file)
        for word in _TYPED.findall(said)
    }
    assert named <= set(grammar.VERBS)
    assert set(FLOWS).isdisjoint(grammar.VERBS)
