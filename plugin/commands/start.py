"""`segue start NAME --session KEY`: queue a run for a conversation, which takes it up."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from segue.session.errors import UsageError
from segue.session.sessions import parse_key

from .. import asking, workspace
from ..terminal_person import in_agent

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from segue.session.outlook import Outlook
    from segue.session.service import Service

_LISTED = 10


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("workflow", metavar="NAME", help="as `segue list` gives it")
    parser.add_argument("text", metavar="TEXT", nargs="*", help="the input, as free text")
    parser.add_argument("--input-json", metavar="J", help="the input, as a JSON object")
    parser.add_argument(
        "--session", metavar="KEY", help="HOST:ID, as `segue sessions` gives it; never guessed"
    )
    asking.add_wait(parser)
    asking.add_json(parser)
    workspace.add_arguments(parser)


def run(args: Namespace) -> int:
    if args.text and args.input_json is not None:
        raise UsageError("give the input as TEXT or as --input-json, not both")
    value = _input(args.input_json)
    where = workspace.workspace_of(args)
    if not where.has_state:
        raise UsageError(_NOBODY)
    with where.service() as service:
        if args.session is None:
            raise UsageError(_which(service))
        key = parse_key(args.session)
        text = " ".join(args.text) or None
        actor = None if in_agent() else asking.ELSEWHERE
        prepared = service.queue(args.workflow, value, text, key, actor)
        first = service.outlook(prepared.run.id)

        def taken() -> bool:
            return service.find_run(prepared.run.id).state != "queued"

        alone = first.status.attached is False
        done = asking.wait_until(service, taken, 0.0 if alone else args.wait)
        after = service.outlook(prepared.run.id)
    asking.said(args, after, _said(after, alone=alone, done=done), taken_up=done)
    return 0


_NOBODY = (
    "no session was seen in this project yet: open it in an agent that Segue is put into, then"
    " name that session with --session"
)


def _input(text: str | None) -> Any:
    try:
        return None if text is None else json.loads(text)
    except ValueError as error:
        raise UsageError(f"--input-json is not JSON: {error}") from error


def _which(service: Service) -> str:
    """Name the sessions there are: one is never picked for a person (O8)."""
    listed = service.roster()
    if not listed:
        return _NOBODY
    lines = ["say which session with --session KEY:"]
    for entry in listed[:_LISTED]:
        now = "attached" if entry.attached else entry.proof
        busy = entry.run is not None and not entry.run.run.ended_at
        has = f", has run {entry.run.run.id}" if busy and entry.run is not None else ""
        lines.append(f"  {entry.row.key}  ({now}{has})")
    if len(listed) > _LISTED:
        lines.append(f"  and {len(listed) - _LISTED} more: segue sessions")
    return "\n".join(lines)


def _said(after: Outlook, *, alone: bool, done: bool) -> str:
    run = after.run
    name = f"run {run.id} ({run.workflow})"
    if done:
        return f"{name} is started in session {run.origin}"
    if alone:
        return f"{name} is queued; nobody is attached to session {run.origin} ({after.proof})"
    return f"{name} is queued; session {run.origin} takes it up as soon as it can ({after.proof})"
