"""What the built-ins say: every prompt as a file for reviewers, its size, and what it never says.

    UPDATE_PROMPTS=1 pytest tests/builtins/test_prompts.py

writes the files anew.
"""

from __future__ import annotations

import os
import re
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from segue.builtins import catalogue
from segue.builtins.monitor import RECENT
from segue.session import limits
from segue.session.workflow.bind import bind, output_type
from segue.session.workflow.contract import schema_of

from .largest import largest, unbounded
from .scenes import GIT, SCENES, Scene, play, play_scene

if TYPE_CHECKING:
    from segue import Workflow
    from segue.testing.rehearsed import Rehearsed

FILES = Path(__file__).parent / "prompts"
NAMES = list(catalogue.read())
SHOWN = {
    "plain-summary": "all",
    "plain-summary-bullets": "all",
    "autoplan-repaired": "all",
    "autoplan-replan": "all",
    "autoplan-blocked": "blocked_summary/summary",
    "approval-continue": "all",
    "approval-replan": "all",
    "change-replanned": "approval/ask planning/capture_intent",
    "autodoc-found": "all",
    "monitor-done": "all",
    "monitor-same-again": "all",
    "monitor-missed": "all",
    "sanity-repaired": "all",
}
"""Scenes whose prompts are kept, and which of them."""


def workflow(name: str) -> Workflow[Any]:
    stem = name.replace("-", "_")
    found: Workflow[Any] = getattr(import_module(f"segue.builtins.{stem}"), stem)
    return found


def budget(name: str) -> int:
    """A workflow that only includes others has their largest."""
    module = import_module(f"segue.builtins.{name.replace('-', '_')}")
    own: int = getattr(module, "PROMPT_BUDGET", 0)
    return max([own, *(budget(mount.workflow.name) for mount in workflow(name).mounts)])


# Kept for review.


def _spoken(done: Rehearsed, which: str) -> str:
    parts = [
        f"## {each.node}, visit {each.visit} ({each.kind})\n\n{each.prompt}\n"
        for each in done.messages
        if which == "all" or each.node in which.split()
    ]
    parts += [f"## notice\n\n{notice}\n" for notice in done.notices]
    return "\n".join(parts)


@pytest.mark.parametrize("scene", SHOWN)
def test_a_changed_prompt_is_seen_in_review(scene: str) -> None:
    said, file = _spoken(play(scene), SHOWN[scene]), FILES / f"{scene}.md"
    if os.environ.get("UPDATE_PROMPTS") == "1":
        file.parent.mkdir(exist_ok=True)
        file.write_text(said, "utf-8")
    assert file.read_text("utf-8") == said, (
        "a prompt changed: look at it, then UPDATE_PROMPTS=1 pytest tests/builtins/test_prompts.py"
    )


@pytest.mark.parametrize("name", NAMES)
def test_every_prompt_is_kept(name: str) -> None:
    asking = ("agent", "assistant", "checkpoint")
    wanted = {node.name for node in workflow(name).declared if node.kind in asking}
    scenes = [scene for scene in SHOWN if _is_of(scene, name)]
    kept = {m.node for s in scenes for m in play(s).messages if _kept(m.node, SHOWN[s])}
    assert wanted <= kept


def _is_of(scene: str, name: str) -> bool:
    return SCENES[scene].workflow == name


def _kept(node: str, which: str) -> bool:
    return which == "all" or node in which.split()


# What none of them says.

_HANDING_ON = re.compile(
    r"sub-?agent|another agent|new session|another session|delegat|spawn|in parallel|task tool",
    re.IGNORECASE,
)
_HOSTS = re.compile(r"\b(claude|pi|opencode|codex|copilot|gemini|vs ?code|neovim|emacs)\b", re.I)


@pytest.mark.parametrize("scene", SHOWN)
def test_no_prompt_hands_the_step_on_or_names_a_host(scene: str) -> None:
    done = play(scene)
    for text in [*(message.prompt for message in done.messages), *done.notices]:
        assert not _HANDING_ON.search(text)
        assert not _HOSTS.search(text)


# How large they get.


@pytest.mark.parametrize("name", NAMES)
def test_every_field_that_is_asked_for_is_bounded(name: str) -> None:
    """S4: the input's fields, and all that the model or a person answers."""
    for model in [workflow(name).input, *_asked(name).values()]:
        assert unbounded(schema_of(model) or {}) == [], model.__name__


def _asked(name: str) -> dict[str, Any]:
    """Give the models of a workflow's answers, mounted ones included, by path."""
    nodes = {path: each.node for path, each in bind(workflow(name)).items()}
    return {
        path: output_type(node)  # type: ignore[arg-type]  # a mount has another kind
        for path, node in nodes.items()
        if getattr(node, "kind", "") == "agent"
    }


def _answers(name: str) -> dict[str, list[Any]]:
    """Give the largest answers there are, made to hold together."""
    made = {path: [largest(schema_of(model) or {})] for path, model in _asked(name).items()}
    for path in list(made):
        _mend(path.rpartition("/")[2], path, made[path][0], made)
    for path, node in bind(workflow(name)).items():
        if getattr(node.node, "kind", "") == "assistant":
            made[path] = ["x" * node.node.settings["max_chars"]]  # type: ignore[union-attr]
    return made


def _mend(node: str, path: str, answer: dict[str, Any], made: dict[str, list[Any]]) -> None:
    if node == "select":
        wrong = {**answer, "blocker": None}
        solutions = made[path.replace("select", "solutions")][0]
        ids = [*(each["id"] for each in solutions["candidates"][1:]), "ideal"]
        right = {
            **wrong,
            "rejected": [{**r, "id": i} for r, i in zip(answer["rejected"], ids, strict=False)],
        }
        made[path] = [wrong, right]
    if node == "observe":
        acting = {**answer, "decision": "act", "outcome": None}
        many = [{**acting, "failure_id": f"f{n}".ljust(48, "x")} for n in range(RECENT + 1)]
        made[path] = [*many, {"decision": "stop", "outcome": "done", "report": answer["report"]}]
        made[path.replace("observe", "act")] *= len(many)
    if node == "record":
        answer["blocker"] = None
        made[path] = [answer, answer]
    if node == "verify" and "problems" in answer:
        made[path] = [{**answer, "verdict": "differs"}, {"verdict": "agrees"}]
    if node == "verify" and "checked" in answer:
        wrong = {
            **answer,
            "checked": [{**each, "id": f"z{each['id'][1:]}"} for each in answer["checked"]],
        }
        made[path] = [wrong, answer]


def _effects(name: str) -> dict[str, list[Any]]:
    files = [{"path": "p" * 300, "sha256": "0" * 64}]
    there = {"verdict": "there", "files": files, "problems": []}
    much = {node: [{"stdout": "M" * limits.CAPTURE_CHARS}] for node in GIT}
    given = {
        "autodoc": {"inspect": [there] * 2},
        "sanity-check": {**much, "base": GIT["base"]},
        "plan-approval": {"ask": [{"choice": "stop"}]},
        "plan-change": {"approval/ask": [{"choice": "continue"}]},
    }
    return given.get(name, {})


@cache
def _at_its_limits(name: str) -> Rehearsed:
    given = largest(schema_of(workflow(name).input) or {})
    if name == "autodoc":  # looked for, so that this prompt is measured as well
        given = {}
    if "policy" in given:
        given["policy"] = "auto"
    return play_scene(Scene(name, given, {**_answers(name), **_effects(name)}))


@pytest.mark.parametrize("name", NAMES)
def test_no_prompt_is_over_its_budget_with_everything_at_its_limit(name: str) -> None:
    done = _at_its_limits(name)
    assert done.status == "completed", done.reason
    sizes = {f"{each.node} {each.visit}": len(each.prompt) for each in done.messages}
    assert max(sizes.values()) <= budget(name) < limits.PROMPT_CHARS, sizes
    assert max(sizes.values()) > budget(name) / 2, "the budget says too little"
