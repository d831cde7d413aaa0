"""The one tool that a model sees: `workflow`. A flat schema outside, an exact parse inside.

Strict providers refuse a union at the root of a schema, so the schema lists every field of every
action; which action takes which is said in the table below and checked here. A model's wrong
call never raises: it gets a named error, what state things are in, and what to do.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from . import limits
from .canonical import compact
from .errors import SegueError, UsageError
from .ownership import Act, Actor, Who, check
from .reading import read_reference
from .store import runs
from .view import view
from .workflow import discovery

if TYPE_CHECKING:
    from collections.abc import Callable

    from .binding import Binding, Reply
    from .hosts import Offer

NAME: Final = "workflow"
DESCRIPTION: Final = (
    "Runs step-by-step workflows inside this conversation. Use `submit` to answer the step you"
    " were given, with its request_id; `start` only when the person asks for a workflow. After"
    " `start` or an accepted `submit`, end your turn: the next step comes as the next message."
)


@dataclass(frozen=True, slots=True)
class Field:
    """One argument: its JSON types and what it is for."""

    types: tuple[str, ...]
    help: str


FIELDS: Final[dict[str, Field]] = {
    "action": Field(("string",), "What to do."),
    "workflow": Field(("string",), "start: the workflow's name, as `list` gives it."),
    "text": Field(("string",), "start: what the workflow is to work on, in words."),
    "input": Field(("object",), "start: the input as JSON, in place of text."),
    "request_id": Field(("string",), "submit, answer, update: the request you were given."),
    "output": Field(
        ("object", "array", "string", "number", "boolean", "null"),
        "submit, answer: what fits the step's output schema.",
    ),
    "run": Field(("string",), "status, read: a run of this session; left out, the current one."),
    "reference": Field(("string",), "read: a reference such as output:NODE."),
    "offset": Field(("integer",), "read: the character to go on from."),
    "completed": Field(("number",), "update: how much is done."),
    "total": Field(("number",), "update: how much there is."),
    "unit": Field(("string",), "update: what is counted."),
    "message": Field(("string",), "update: a few words on what is going on."),
}
_TYPES: Final[dict[str, tuple[type, ...]]] = {
    "string": (str,),
    "object": (dict,),
    "array": (list,),
    "number": (int, float),
    "integer": (int,),
    "boolean": (bool,),
    "null": (type(None),),
}


@dataclass(frozen=True, slots=True)
class Result:
    """What the tool answers. `message` is the next step, for hosts with the in-turn door."""

    ok: bool
    text: str
    data: dict[str, Any] = field(default_factory=dict)
    message: Offer | None = None


@dataclass(frozen=True, slots=True)
class Action:
    """One action: the fields it needs, those it may have, and what does it."""

    required: tuple[str, ...]
    optional: tuple[str, ...]
    run: Callable[[Call], Result]


@dataclass(frozen=True, slots=True)
class Call:
    """One call of the model, parsed."""

    binding: Binding
    actor: Actor
    id: str
    arguments: dict[str, Any]

    def get(self, name: str, default: Any = None) -> Any:
        return self.arguments.get(name, default)


def schema() -> dict[str, Any]:
    """Give the tool's input schema: one flat object."""
    properties: dict[str, Any] = {
        name: {
            "type": f.types[0] if len(f.types) == 1 else list(f.types),
            "description": f.help,
        }
        for name, f in FIELDS.items()
    }
    properties["action"]["enum"] = list(ACTIONS)
    return {"type": "object", "properties": properties, "required": ["action"]}


def call(binding: Binding, arguments: object, call_id: str) -> Result:
    """Do what the model in a binding's session asks for.

    Args:
        binding: The session's.
        arguments: What the model sent.
        call_id: The host's own id of the call; a repeated one adopts what it started (O5).
    """
    try:
        action, parsed = _parse(arguments)
        actor = Actor(Who.MODEL, binding.key)
        return action.run(Call(binding, actor, call_id, parsed))
    except SegueError as error:
        return Result(False, str(error), {"code": error.code, "state": _state(binding)})


def _parse(arguments: object) -> tuple[Action, dict[str, Any]]:
    if not isinstance(arguments, dict):
        raise UsageError(f'give an object such as {{"action": "status"}}, not {_kind(arguments)}')
    name = arguments.get("action")
    if not isinstance(name, str) or name not in ACTIONS:
        raise UsageError(f"action has to be one of {', '.join(ACTIONS)}; received {_shown(name)}")
    action = ACTIONS[name]
    given = {key: value for key, value in arguments.items() if key != "action"}
    allowed = (*action.required, *action.optional)
    for key in given:
        if key not in allowed:
            takes = ", ".join(allowed) or "nothing else"
            raise UsageError(f"{name} has no field {key[:80]!r}; it takes {takes}")
    for key in action.required:
        if key not in given:
            raise UsageError(f"{name} needs {key}: {FIELDS[key].help}")
    for key, value in given.items():
        if not _fits(value, FIELDS[key].types):
            wanted = " or ".join(FIELDS[key].types)
            raise UsageError(f"{name}: {key} has to be {wanted}; received {_shown(value)}")
    return action, given


def _fits(value: object, types: tuple[str, ...]) -> bool:
    if isinstance(value, bool):
        return "boolean" in types
    return any(isinstance(value, _TYPES[name]) for name in types)


def _kind(value: object) -> str:
    return next(
        (n for n, types in _TYPES.items() if isinstance(value, types)), type(value).__name__
    )


def _shown(value: object) -> str:
    try:
        text = compact(value)
    except (TypeError, ValueError):
        text = repr(value)
    return text if len(text) <= 100 else text[:100] + "..."


def _state(binding: Binding) -> dict[str, Any]:
    """Give the little that says where things stand after a refused call."""
    runner = binding.runner
    if runner is None:
        return {"run": None}
    request = runner.request
    return {
        "run": runner.run.id,
        "status": runner.run.state,
        "reason": runner.run.reason,
        "request_id": None if request is None else request.id,
    }


def _of(reply: Reply) -> Result:
    return Result(bool(reply.data.get("accepted", True)), reply.text, reply.data, reply.message)


def _list(call: Call) -> Result:
    check(call.actor, Act.STATUS, call.binding.key)
    found = [f for f in discovery.discover(call.binding.service.project) if not f.mount_only]
    lines = [f"{f.name}: {f.title or f.description or f.ref}" for f in found]
    data = {"workflows": [{"name": f.name, "description": f.description} for f in found]}
    return Result(True, "\n".join(lines) or "No workflows are here yet.", data)


def _start(call: Call) -> Result:
    if call.get("text") is not None and call.get("input") is not None:
        raise UsageError("start takes text or input, not both")
    return _of(
        call.binding.start(
            call.get("workflow"),
            value=call.get("input"),
            text=call.get("text"),
            actor=call.actor,
            launch_id=f"tool:{call.id}" if call.id else call.binding.service.ids.new("tool"),
            call=call.id,
        )
    )


def _status(call: Call) -> Result:
    binding = call.binding
    with binding.service.reading() as db:
        run = _named(call, db)
        if run is None:
            return Result(True, "No run of this session is shown.", {"run": None})
        made = view(db, run, binding.service.clock.now())
    del made["next"], made["next_here"]  # for people, and some for people alone (H1)
    why = f" ({made['reason']})" if made["reason"] else ""
    text = f"{made['workflow']}, run {made['run']}: {made['status']}{why}, {made['steps']} steps"
    message = binding.overdue(call.id)
    if message is not None:
        text += f". The step that is due:\n\n{message.text}"
    return Result(True, text, made, message)


def _named(call: Call, db: Any) -> Any:
    """Give the run that a call names, or the session's; another session's is refused (O3)."""
    binding = call.binding
    check(call.actor, Act.STATUS, binding.key)
    if call.get("run") is None:
        return runs.shown_of(db, binding.authority.session)
    run = runs.find(db, call.get("run"))
    check(call.actor, Act.STATUS, run.origin)
    return run


def _read(call: Call) -> Result:
    with call.binding.service.reading() as db:
        run = _named(call, db)
        if run is None:
            raise UsageError("no run of this session is shown: name one with run")
        page = read_reference(db, run, call.get("reference"), call.get("offset", 0))
    return Result(True, page["text"], page)


def _update(call: Call) -> Result:
    data = {
        "completed": call.get("completed", 0),
        "total": call.get("total"),
        "unit": call.get("unit", ""),
        "message": call.get("message", ""),
    }
    if len(compact(data)) > limits.UPDATE_CHARS:
        raise UsageError(f"an update has at most {limits.UPDATE_CHARS:,} characters")
    return _of(call.binding.update(call.get("request_id"), data, actor=call.actor))


def _submit(call: Call) -> Result:
    return _of(
        call.binding.submit(
            call.get("request_id"), call.get("output"), actor=call.actor, call=call.id
        )
    )


def _answer(call: Call) -> Result:
    return _of(
        call.binding.answer(
            call.get("request_id"), call.get("output"), actor=call.actor, call=call.id
        )
    )


def _pause(call: Call) -> Result:
    return _of(call.binding.ask("pause", actor=call.actor))


def _cancel(call: Call) -> Result:
    return _of(call.binding.ask("cancel", actor=call.actor))


ACTIONS: Final[dict[str, Action]] = {
    "list": Action((), (), _list),
    "start": Action(("workflow",), ("text", "input"), _start),
    "status": Action((), ("run",), _status),
    "read": Action(("reference",), ("run", "offset"), _read),
    "pause": Action((), (), _pause),
    "cancel": Action((), (), _cancel),
    "answer": Action(("request_id", "output"), (), _answer),
    "update": Action(("request_id",), ("completed", "total", "unit", "message"), _update),
    "submit": Action(("request_id", "output"), (), _submit),
}
