"""Loads a workflow afresh in a worker and says, in one line, why it cannot be run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .canonical import Json, digest_text
from .engine.budget import Budget
from .engine.child import WorkerDied, WorkerTimedOut
from .errors import InputInvalid, LoadFailed, WorkflowInvalid
from .workflow.freetext import example
from .workflow.names import BUILTINS
from .workflow.snapshot import Definition, from_json

if TYPE_CHECKING:
    from pathlib import Path

    from .clock import Clock
    from .engine.child import Worker
    from .workflow.discovery import Found


@dataclass(frozen=True)
class Loaded:
    """A workflow that a worker has loaded: what a run of it pins."""

    found: Found
    definition: Definition
    sources: tuple[tuple[str, str, str], ...]
    texts: tuple[str, ...]
    options: dict[str, Any]
    worker: Worker


def load(found: Found, project: Path, worker: Worker, clock: Clock, seconds: float) -> Loaded:
    """Import, check and compile a workflow.

    Raises:
        LoadFailed: It cannot be imported; file, line and cause.
        WorkflowInvalid: Its graph breaks a rule; the message has the first finding.
    """
    folder, module = str(found.path.parent), found.path.stem
    if found.origin == "builtin":
        module = BUILTINS + module
    message = {"do": "load", "project": str(project), "folder": folder, "module": module}
    try:
        reply = worker.call(message, Budget(clock, seconds))
    except WorkerTimedOut as error:
        raise LoadFailed(
            f"{found.path}: importing it took more than {seconds:g} s: is there a loop or a"
            " download at the top of the file?"
        ) from error
    except WorkerDied as error:
        raise LoadFailed(
            f"{found.path}: importing it ended the process ({error}): move what does that into"
            " a callback"
        ) from error
    if "ok" not in reply:
        worker.kill()
        _refuse(found, reply)
    sources = reply["sources"]
    return Loaded(
        found=found,
        definition=from_json(reply["snapshot"]),
        sources=tuple((m, file, digest_text(text).hex()) for m, file, text, _ in sources),
        texts=tuple(text for _, _, text, _ in sources),
        options={
            "folder": folder,
            "module": module,
            "packages": [m for m, _, _, package in sources if package],
        },
        worker=worker,
    )


def _refuse(found: Found, reply: dict[str, Any]) -> None:
    message = reply.get("failed") or reply.get("message") or f"{found.path}: cannot be loaded"
    if reply.get("refused") == WorkflowInvalid.code:
        raise WorkflowInvalid(message)
    raise LoadFailed(message)


def check_input(loaded: Loaded, value: Json, clock: Clock, seconds: float) -> Json:
    """Give the input as the workflow's model stores it.

    Raises:
        InputInvalid: With each problem and an example of what fits.
    """
    import json

    reply = loaded.worker.call({"do": "input", "value": value}, Budget(clock, seconds))
    if "ok" in reply:
        made: Json = json.loads(reply["ok"])
        return made
    problems = "; ".join(
        f"{p['path']}: expected {p['expected']}; received {p['received']}"
        for p in reply.get("rejected", ())
    )
    name = loaded.definition.name
    raise InputInvalid(
        f"the input does not fit workflow '{name}': {problems or reply.get('failed')}"
        f" (try --input-json '{example(loaded.definition.input_schema)}')"
    )
