"""The rules of what an author sets on a workflow, its nodes and their callbacks."""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterator, Mapping
from typing import Any

from .contract import schema_of
from .definition import Workflow
from .findings import Code, Finding
from .handles import Node
from .parts import broken, listed

_LONGEST_WAIT = 10 * 366 * 86_400


def settings(workflow: Workflow[Any]) -> Iterator[Finding]:
    for subject, text in _of_workflow(workflow):
        yield broken(Code.BAD_SETTING, text, workflow.place, subject)
    for node in workflow.declared:
        for text in _of_node(node):
            yield broken(Code.BAD_SETTING, f"node '{node.name}': {text}", node.place, node.name)
        if node.kind in ("action", "shell") and node.settings.get("effect") not in _EFFECTS:
            yield broken(
                Code.NO_EFFECT,
                f"node '{node.name}': say effect=\"idempotent\" (may run again after a crash)"
                ' or effect="manual" (a person decides)',
                node.place,
                node.name,
            )


_EFFECTS = ("idempotent", "manual")


def _of_workflow(workflow: Workflow[Any]) -> Iterator[tuple[str, str]]:
    if not isinstance(workflow.max_steps, int) or workflow.max_steps < 1:
        yield "max_steps", "max_steps has to be 1 or more"
    if workflow.on_reopen not in ("wait", "continue"):
        yield "on_reopen", 'on_reopen has to be "wait" or "continue"'
    if problem := _bad_model(workflow.input):
        yield "input", f"input {problem}"


def _of_node(node: Node[Any]) -> Iterator[str]:
    given = node.settings
    if not _is_duration(given.get("timeout"), least=0):
        yield "timeout has to be more than 0 seconds, None, or a function"
    if not isinstance(given.get("status", ""), str):
        yield "status has to be a text"
    if node.kind == "assistant" and not given["max_chars"] > 0:
        yield "max_chars has to be 1 or more"
    if node.kind == "wait":
        yield from _of_wait(given)
    if "choices" in given:
        yield from _of_choices(given)
    elif node.kind in ("agent", "checkpoint") and node.output is not None:
        problem = _bad_model(node.output)
        yield from [f"output {problem}"] if problem else []


def _is_duration(value: Any, least: float) -> bool:
    if value is None or callable(value):
        return True
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return math.isfinite(value) and value > least


def _of_wait(given: Mapping[str, Any]) -> Iterator[str]:
    seconds, until = given.get("seconds"), given.get("until")
    if (seconds is None) == (until is None):
        yield "wait takes one of seconds= and until="
    if not _is_duration(seconds, least=-1e-9) or (
        isinstance(seconds, (int, float)) and seconds > _LONGEST_WAIT
    ):
        yield "seconds has to lie between 0 and ten years"
    if until is not None and not callable(until) and getattr(until, "tzinfo", None) is None:
        yield "until needs a time zone: datetime(..., tzinfo=UTC)"


def _of_choices(given: Mapping[str, Any]) -> Iterator[str]:
    choices = given["choices"]
    if not all(isinstance(choice, str) and choice.strip() for choice in choices):
        yield "each choice has to be a word"
    elif not choices or len(set(choices)) != len(choices):
        yield "choices have to be one or more different words"
    for text in given.get("text", ()):
        if text not in choices:
            yield f"text names {text!r}, which is not a choice"
    taken = given.get("on_timeout")
    if taken is not None and taken not in choices:
        yield f"on_timeout is {taken!r}, which is not a choice"
    elif taken is not None and given.get("timeout") is None:
        yield "on_timeout needs a timeout"


def _bad_model(model: Any) -> str | None:
    """Tell why a model cannot be asked of anybody, None where it can."""
    from pydantic import BaseModel

    if not (isinstance(model, type) and issubclass(model, BaseModel)):
        return f"has to be a pydantic model, not {model!r}"
    try:
        schema_of(model)
    except Exception as error:  # pydantic has many, and a field's own hooks may raise any
        reason = str(error).strip().splitlines() or [type(error).__name__]
        return f"{model.__name__} has no JSON schema: {reason[0]}"
    return None


def callbacks(workflow: Workflow[Any]) -> Iterator[Finding]:
    for part in listed(workflow):
        if part.fn is None or takes_one(part.fn):
            continue
        yield broken(
            Code.BAD_CALLBACK,
            f"the function of '{part.name}' has to take one argument, the context",
            part.place,
            part.name,
        )
    for node in workflow.declared:
        for setting in ("timeout", "seconds", "until", "parse", "progress"):
            fn = node.settings.get(setting)
            if callable(fn) and not takes_one(fn):
                yield broken(
                    Code.BAD_CALLBACK,
                    f"node '{node.name}': the function {setting}= has to take one argument",
                    node.place,
                    node.name,
                )


def takes_one(fn: Any) -> bool:
    """Whether a callable can be called with one positional argument."""
    try:
        inspect.signature(fn).bind(None)
    except TypeError:
        return False
    except ValueError:  # a builtin without a signature
        return True
    return True
