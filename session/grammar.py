"""One grammar for `/workflow ...`: the table that slash commands, palette and CLI share.

A person types in the origin session. The first word is a verb of the table or a workflow's name;
everything after a name is its free text, verbatim.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from .binding import Reply
from .canonical import Json
from .errors import NotFound, UsageError
from .ownership import Act, Actor, Who, check
from .status import status
from .store import requests, runs
from .view import view
from .workflow import discovery

if TYPE_CHECKING:
    from collections.abc import Callable

    from .binding import Binding


@dataclass(frozen=True, slots=True)
class Verb:
    """One word after `/workflow`."""

    usage: str
    help: str
    run: Callable[[Line], Reply]


@dataclass(frozen=True, slots=True)
class Line:
    """What was typed after the verb, and where."""

    binding: Binding
    actor: Actor
    rest: str
    id: str


def command(binding: Binding, text: str, command_id: str = "") -> Reply:
    """Do what a person typed after `/workflow` in a binding's session.

    Args:
        binding: The session's.
        text: Everything after `/workflow`.
        command_id: The host's own id of the message; the same one starts nothing twice (O5).

    Raises:
        SegueError: With one line that says what is wrong and what to type.
    """
    word, _, rest = text.strip().partition(" ")
    actor = Actor(Who.PERSON, binding.key)
    line = Line(binding, actor, rest.strip(), command_id)
    if not word:
        return _list(line)
    verb = VERBS.get(word)
    return verb.run(line) if verb is not None else _start(line, word)


def _start(line: Line, name: str) -> Reply:
    value, text = parse_input(line.rest)
    return line.binding.start(
        name,
        value=value,
        text=text,
        actor=line.actor,
        launch_id=f"command:{line.id}" if line.id else line.binding.service.ids.new("command"),
    )


def parse_input(rest: str) -> tuple[Json, str | None]:
    """Read what follows a workflow's name: free text, or `--input-json {...}`.

    Raises:
        UsageError: What follows `--input-json` is not JSON.
    """
    flag, _, value = rest.partition(" ")
    if flag != "--input-json":
        return None, rest or None
    try:
        return json.loads(value), None
    except ValueError as error:
        raise UsageError(f"--input-json is not JSON: {error}") from error


def _list(line: Line) -> Reply:
    check(line.actor, Act.STATUS, line.binding.key)
    found = [f for f in discovery.discover(line.binding.service.project) if not f.mount_only]
    width = max((len(f.name) for f in found), default=0)
    lines = [f"{f.name:<{width}}  {f.title or f.description}".rstrip() for f in found]
    data = {"workflows": [{"name": f.name, "title": f.title, "ref": f.ref} for f in found]}
    empty = "No workflows here yet: `segue new NAME` in a terminal writes one."
    return Reply("\n".join(lines) or empty, data)


def _status(line: Line) -> Reply:
    binding = line.binding
    check(line.actor, Act.STATUS, binding.key)
    with binding.service.reading() as db:
        run = runs.shown_of(db, binding.authority.session)
        if run is None:
            return Reply("No run is shown in this session.", {"run": None})
        made = view(db, run, binding.service.clock.now())
    return Reply(status_line(made), made)


def status_line(made: dict[str, Any]) -> str:
    """Give a view in one or two lines."""
    at = f" at {made['node']}" if made["node"] else ""
    why = f": {made['detail'] or made['reason']}" if made["reason"] else ""
    text = f"{made['workflow']} ({made['run']}): {made['status']}{at}, step {made['steps']}{why}"
    return f"{text}\nnext: {made['next_here']}" if made["next_here"] else text


def _ask(what: str) -> Callable[[Line], Reply]:
    return lambda line: line.binding.ask(what, actor=line.actor)


def _resume(line: Line) -> Reply:
    """Go on; `--effect done|again|failed [JSON]` says what became of an unknown effect."""
    flag, _, rest = line.rest.partition(" ")
    if flag != "--effect":
        return line.binding.ask("resume", actor=line.actor)
    how, _, output = rest.strip().partition(" ")
    if how not in ("done", "again", "failed") or (output and how != "done"):
        raise UsageError("say /workflow resume --effect done [JSON], again, or failed")
    value = _json_or_text(output.strip()) if output.strip() else None
    return line.binding.settle(how, value, actor=line.actor)


def _runs(line: Line) -> Reply:
    check(line.actor, Act.STATUS, line.binding.key)
    with line.binding.service.reading() as db:
        listed = [(r, status(db, r)) for r in runs.latest(db, 20)]
    lines = [f"{r.id}  {r.workflow}  {s.word}  {r.origin}" for r, s in listed]
    data = [
        {"run": r.id, "workflow": r.workflow, "status": str(s.word), "session": str(r.origin)}
        for r, s in listed
    ]
    return Reply("\n".join(lines) or "No runs yet.", {"runs": data})


def _answer(line: Line) -> Reply:
    binding = line.binding
    request_id, _, rest = line.rest.partition(" ")
    with binding.service.reading() as db:
        request = requests.get(db, request_id) if request_id else None
    if request is None:
        raise NotFound(_ask_which(line))
    if request.kind != "human":
        return binding.answer(request.id, _json_or_text(rest), actor=line.actor)
    choice, _, text = rest.strip().partition(" ")
    return binding.decide(request.id, choice, text.strip() or None, request.shown, actor=line.actor)


def _ask_which(line: Line) -> str:
    """Name what can be answered: never picked for a person (O8)."""
    with line.binding.service.reading() as db:
        run = runs.live_of(db, line.binding.authority.session)
        request = None if run is None else requests.open_of(db, run.pk)
    if request is None or request.kind not in ("human", "checkpoint"):
        return "nothing waits for an answer in this session"
    return f"name the request: /workflow answer {request.id} ..."


def _json_or_text(rest: str) -> Json:
    try:
        value: Json = json.loads(rest)
    except ValueError:
        return rest
    return value


def _rebind(line: Line) -> Reply:
    service = line.binding.service
    if not line.rest:
        raise UsageError("name the run: /workflow rebind RUN (`/workflow runs` lists them)")
    run = service.rebind(service.find_run(line.rest), line.binding.key, line.actor)
    line.binding.nudge()
    return Reply(
        f"Run {run.id} belongs to this session now; /workflow resume goes on with it.",
        {"run": run.id},
    )


def _clear(line: Line) -> Reply:
    cleared = line.binding.service.clear(line.binding.key, line.actor)
    line.binding.refresh()
    return Reply("Nothing is shown." if cleared is None else f"Run {cleared} is off the screen.")


VERBS: Final[dict[str, Verb]] = {
    "list": Verb("", "workflows that can be started here", _list),
    "status": Verb("status", "this session's run", _status),
    "pause": Verb("pause", "hold the run after the step under way", _ask("pause")),
    "resume": Verb("resume", "go on with the run", _resume),
    "cancel": Verb("cancel", "end the run", _ask("cancel")),
    "answer": Verb("answer REQUEST CHOICE [TEXT]", "answer what the run asks", _answer),
    "rebind": Verb("rebind RUN", "move a run into this session", _rebind),
    "clear": Verb("clear", "take an ended run off the screen", _clear),
    "runs": Verb("runs", "the project's latest runs", _runs),
}
