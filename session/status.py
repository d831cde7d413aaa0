"""A run's status as every view shows it: one word of a closed set, why, and what can be done (D7).

No view works it out from a state: it asks here, and `why.py` has the words. A reason is a stored
fact, or proved when it is read: `owner_gone`, `detached`, and what other stored facts say (D8).
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Final, NamedTuple

from segue import __version__

from .engine.state import TERMINAL, RunState
from .process import is_gone
from .store import attachments, definitions, messages, requests, steps
from .why import ENDED, UNKNOWN, WHY, Why

if TYPE_CHECKING:
    from .store.attachments import Attachment
    from .store.connection import Connection
    from .store.records import Attempt, Request, Run

REHEARSAL: Final = "rehearsal"
"""The host of rehearsals: their runs go on in the terminal, in no conversation."""


class Status(NamedTuple):
    """What a view shows of a run.

    Attributes:
        word: One of the run's states.
        reason: Why it stands still or how it ended badly; None where nothing needs saying.
        detail: The same for people, in a sentence.
        explanation: What the reason means, in a sentence; empty where there is none.
        next_step: A command that goes on, None where there is nothing to do.
        next_here: The same as typed in the run's session, None where it has no conversation.
        person: Only a person may take the next step; a model is never told of it (H1).
        attached: Whether somebody drives the run's session; None where it cannot be told.
        until: When its wait or its deadline is over, in ms since the epoch.
    """

    word: RunState
    reason: str | None
    detail: str | None
    explanation: str = ""
    next_step: str | None = None
    next_here: str | None = None
    person: bool = False
    attached: bool | None = None
    until: int | None = None


def status(db: Connection, run: Run) -> Status:
    """Give the status of a run as it stands now."""
    if RunState(run.state) in TERMINAL:
        return status_with(db, run, None, None)
    return status_with(db, run, steps.get(db, run.pk, run.step), requests.open_of(db, run.pk))


def status_with(
    db: Connection, run: Run, attempt: Attempt | None, request: Request | None
) -> Status:
    """Give the status for a caller who has read the latest try and the open request already."""
    word = RunState(run.state)
    owner = attachments.get(db, run.session)
    held = attached(owner)
    if word in TERMINAL:
        return Status(word, run.reason, run.detail, ENDED.said, attached=held)
    reason = _reason(db, run, word, owner, held, request)
    if reason is None:
        return Status(word, None, run.detail, attached=held)
    alone = held is False
    if word is RunState.RUNNING and alone:
        word = RunState.WAITING
    why = WHY.get(reason, UNKNOWN)
    until = attempt.wake_at if attempt is not None and reason == "wait" else None
    if until is None and request is not None:
        until = request.deadline
    facts = _facts(run, owner, held, attempt, request, until)
    said = why.said.format_map(facts)
    here, command = _next(why, facts, alone=alone, rehearsed=run.origin.host == REHEARSAL)
    detail = run.detail if reason == run.reason and run.detail else said
    return Status(word, reason, detail, said, command, here, why.person, held, until)


def _reason(
    db: Connection,
    run: Run,
    word: RunState,
    owner: Attachment | None,
    held: bool | None,
    request: Request | None,
) -> str | None:
    if not readable(db, run):
        return "other_version"
    if run.asked is not None:
        return f"asked_{run.asked}"
    if word is RunState.QUEUED:
        return "queued"
    if word is not RunState.RUNNING:
        return run.reason or str(word)
    if held is False:
        return "detached" if owner is None or owner.detached_at is not None else "owner_gone"
    return _between_turns(db, run, request)


def _between_turns(db: Connection, run: Run, request: Request | None) -> str | None:
    """Why a running run's model does nothing for it, None where it works or is about to."""
    if request is None:
        return None
    said = [m for m in messages.of_step(db, run.pk, run.step) if m.is_intent]
    if any(m.state in ("pending", "offered") for m in said):
        return "unsaid"
    heard = [m for m in said if m.state == "seen"]
    if not heard or heard[-1].turn in (None, "started"):
        return None
    return "person_turn"


def readable(db: Connection, run: Run) -> bool:
    """Whether this Segue can read the run's definition; another one may have started it."""
    if run.segue == __version__:
        return True
    return definitions.find(db, run.definition) is not None


def abandoned(owner: Attachment | None) -> bool:
    """Whether nobody drives the session any more: let go of, or proved gone (D3)."""
    return attached(owner) is False


def attached(owner: Attachment | None) -> bool | None:
    """Whether somebody holds a session; None where it cannot be told from here (D3)."""
    if owner is None or owner.detached_at is not None:
        return False
    gone = is_gone(owner.process)
    return None if gone is None else not gone


def proof(owner: Attachment | None, held: bool | None) -> str:
    """Say what is known of the process that holds a session, and how (D3)."""
    if owner is None:
        return "never attached"
    if owner.detached_at is not None:
        return f"process {owner.process.pid} has detached"
    match held:
        case False:
            return f"there is no process {owner.process.pid} of that start any more"
        case True:
            return f"process {owner.process.pid} is running"
        case None:
            return f"process {owner.process.pid} cannot be seen from here"


def _facts(
    run: Run,
    owner: Attachment | None,
    held: bool | None,
    attempt: Attempt | None,
    request: Request | None,
    until: int | None,
) -> dict[str, str]:
    return {
        "run": run.id,
        "session": str(run.origin),
        "node": "the first step" if attempt is None else attempt.node,
        "request": "-" if request is None else request.id,
        "until": "a time of its own" if until is None else _moment(until),
        "proof": proof(owner, held),
        "made_by": run.segue,
        "this": __version__,
    }


def _moment(ms: int) -> str:
    return datetime.fromtimestamp(ms / 1000).astimezone().strftime("%Y-%m-%d %H:%M:%S")


def _next(
    why: Why, facts: dict[str, str], *, alone: bool, rehearsed: bool
) -> tuple[str | None, str | None]:
    """Give what goes on with the run: in its session, and at a terminal."""
    if why.by_itself and not alone:
        return None, None
    here = None if rehearsed or not why.here else f"/workflow {why.here}".format_map(facts)
    words = why.rehearsal if rehearsed and why.rehearsal else why.command
    return here, f"segue {words}".format_map(facts) if words else None
