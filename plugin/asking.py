"""What the commands share that ask a session for something: they wait a moment, then tell."""

from __future__ import annotations

import json
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from segue.session.errors import NotFound
from segue.session.ownership import Actor, Who
from segue.session.store import runs

from . import workspace
from .terminal_person import in_agent, next_of
from .views.times import iso

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Callable, Iterator

    from segue.session.clock import Clock
    from segue.session.outlook import Outlook
    from segue.session.service import Service
    from segue.session.store.connection import Connection
    from segue.session.store.records import Run

    from .workspace import Workspace

ELSEWHERE: Final = Actor(Who.ELSEWHERE)
WAIT_SECONDS: Final = 3.0
_LOOK_SECONDS: Final = 0.02
_PERSON: Final = "a person has to do it, in the session or in a terminal of their own"


def add_wait(parser: ArgumentParser) -> None:
    """Give a command the option that says how long it looks what comes of it."""
    parser.add_argument(
        "--wait",
        metavar="SECONDS",
        type=float,
        default=WAIT_SECONDS,
        help=f"how long to look whether the session does it (default {WAIT_SECONDS:g})",
    )


def add_json(parser: ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON for programs")


def opened(args: Namespace, what: str) -> Workspace:
    """Give the project whose state a command needs.

    Raises:
        NotFound: Nothing was ever kept there.
    """
    where = workspace.workspace_of(args)
    if not where.has_state:
        raise NotFound(f"there is no {what}: nothing was kept in this project yet")
    return where


class Look:
    """What a command reads that changes nothing: the store alone, without the service."""

    def __init__(self, db: Connection, clock: Clock) -> None:
        self.db = db
        self.clock = clock

    def run(self, text: str) -> Run:
        """Give the run that a person names."""
        return runs.find(self.db, text)

    def outlook(self, text: str) -> Outlook:
        """Give where a run stands and what can go on with it."""
        from segue.session.outlook import outlook  # not every look needs it

        return outlook(self.db, self.run(text))


@contextmanager
def looking(where: Workspace) -> Iterator[Look]:
    """Look at a project's state, in one consistent view."""
    with where.store() as store, store.read() as db:
        yield Look(db, store.clock)


def wait_until(service: Service, done: Callable[[], bool], seconds: float) -> bool:
    """Look until something has happened or the time is over; each look is at a commit."""
    deadline = time.monotonic() + seconds
    seen = None
    while True:
        version = service.store.data_version()
        if version != seen and done():
            return True
        seen = version
        if time.monotonic() >= deadline:
            return False
        time.sleep(_LOOK_SECONDS)


def todo(outlook: Outlook) -> str:
    """Say in one sentence what a person can do now."""
    status, session = outlook.status, outlook.run.origin
    if outlook.run.ended_at:
        return "nothing: it has ended"
    command, here = next_of(status)
    if command is None and status.person:
        return _PERSON
    if command is None:
        if status.reason == "asked_resume":
            return f"open session {session}"
        return "nothing: it goes on by itself" if status.reason else "nothing: it is worked on"
    said = f"`{command}`"
    if here is not None:
        said += f", or `{here}` in session {session}"
        if status.attached is False and here == "/workflow resume":
            said += "; it goes on when that session is open"
    return said


def to_json(outlook: Outlook) -> dict[str, Any]:
    """Give an outlook as programs read it."""
    run, status, question = outlook.run, outlook.status, outlook.question
    command, here = next_of(status)
    return {
        "run_id": run.id,
        "workflow": run.workflow,
        "session": str(run.origin),
        "status": str(status.word),
        "reason": status.reason,
        "detail": status.detail,
        "explanation": status.explanation or None,
        "next_step": command,
        "next_here": here,
        "todo": todo(outlook),
        "attached": status.attached,
        "proof": outlook.proof,
        "until": iso(status.until),
        "node": outlook.node,
        "steps_done": outlook.done,
        "asked": run.asked,
        "asked_by": run.asked_by,
        "segue": run.segue,
        "request": None
        if question is None
        else {
            "id": question.request.id,
            "kind": question.request.kind,
            "text": question.text,
            "choices": [] if question.node is None else list(question.node.choices),
            "wants_text": [] if question.node is None else list(question.node.text),
            "shown": question.shown.hex()[:12],
            "answer_stored": question.given,
        },
        "successors": [
            {"session": s.session, "kind": s.kind, "next_step": move(outlook, s.session)}
            for s in outlook.successors
        ],
    }


def move(outlook: Outlook, session: str) -> str | None:
    """Give the command that moves a run to a session; never in an agent's shell (H1)."""
    import shlex

    if in_agent():
        return None
    return f"segue rebind {outlook.run.id} --session {shlex.quote(session)}"


def said(args: Namespace, outlook: Outlook, text: str, **more: Any) -> None:
    """Tell what happened: one line, or the run as JSON."""
    if args.json:
        print(json.dumps({**to_json(outlook), **more}, ensure_ascii=False))
        return
    print(text)
    if outlook.status.next_step and not outlook.run.ended_at:
        print(f"  next: {todo(outlook)}")


def ask(args: Namespace, service: Service, outlook: Outlook, what: str) -> int:
    """Ask for a pause, a resume or a cancel, look what comes of it, and tell."""
    run = service.carry_out(outlook.run, ELSEWHERE, what)

    def settled() -> bool:
        found = service.find_run(run.id)
        return found.asked is None or found.ended_at is not None

    alone = outlook.status.attached is False
    done = wait_until(service, settled, 0.0 if alone else args.wait)
    after = service.outlook(run.id)
    name, word = f"run {run.id} ({run.workflow})", after.status.word
    if done:
        text = f"{name} is {word.replace('_', ' ')}"
        if what == "resume":
            text = f"{name} goes on: {word}"
    elif alone:
        text = f"{name}: stored; session {run.origin} does it when it is open"
    else:
        text = f"{name}: session {run.origin} is asked to {what} it ({after.proof})"
        text += " and does so after the step under way" if what == "pause" else ""
    said(args, after, text, carried_out=done)
    return 0
