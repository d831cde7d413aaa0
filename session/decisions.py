"""Answers that a person gives: to a human request (H1, H2), and to a checkpoint from elsewhere.

They are stored here, once; the run's attachment checks and carries them out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import limits, ownership, standin
from .errors import Conflict, NotAllowed, NotFound, SegueError
from .ownership import Act
from .store import definitions, requests, runs, steps

if TYPE_CHECKING:
    from .canonical import Json
    from .ownership import Actor
    from .service import Service
    from .store.records import Request
    from .workflow.snapshot import NodeDef


class StaleApproval(SegueError):
    """What was shown is not what is asked now (H2)."""

    code = "stale_approval"


def decide(
    service: Service,
    request_id: str,
    choice: str,
    text: str | None,
    shown: bytes | None,
    actor: Actor,
) -> Request:
    """Store a person's answer to a human request; the first one wins.

    Raises:
        NotFound: No such request; it is closed; the choice is none of its own.
        StaleApproval: What was shown is not what is asked now.
    """
    with service.store.read() as db:
        request = requests.get(db, request_id)
        if request is None:
            raise _unknown(request_id)
        run = runs.by_pk(db, request.run)
        attempt = steps.get(db, run.pk, request.step)
        node = definitions.get(db, run.definition).node(attempt.node) if attempt else None
    ownership.check(actor, Act.ANSWER_HUMAN, run.origin)
    if request.kind != "human" or node is None:
        raise NotAllowed(f"request {request.id} is no question to a person")
    if request.state != "open":
        raise Conflict(f"request {request.id} is {request.state} already")
    if shown is not None and shown != request.shown:
        raise StaleApproval(f"request {request.id}: what you were shown has changed; look again")
    _check_choice(node, choice, text)
    answer = {"choice": choice, "text": text or None, "provenance": "human"}
    with service.store.write(str(actor)) as tx:
        requests.give(tx, request, answer)
        tx.event("given", {"request": request.id, "choice": choice}, session=run.session)
    return request


def give(service: Service, request_id: str, output: Json, actor: Actor) -> Request:
    """Store a person's answer to a checkpoint for the attachment to check and carry out."""
    with service.store.read() as db:
        request = requests.get(db, request_id)
        run = None if request is None else runs.by_pk(db, request.run)
    if request is None or run is None:
        raise _unknown(request_id)
    ownership.check(actor, Act.ANSWER_CHECKPOINT, run.origin)
    if request.kind != "checkpoint":
        raise NotAllowed(f"request {request.id} is no checkpoint")
    with service.store.write(str(actor)) as tx:
        requests.give(tx, request, {"output": output})
        tx.event("given", {"request": request.id}, session=run.session)
    return request


def carry_out(service: Service, request: Request) -> None:
    """Take a stored answer from here, where the run's owner is gone; else that one does."""
    with service.store.read() as db:
        run = runs.by_pk(db, request.run)
    if not standin.owner_is_gone(service, run):
        return
    with standin.driving(service, run, "answer") as runner:
        runner.take_given()


def _unknown(request_id: str) -> NotFound:
    return NotFound(f"there is no request {request_id[:80]!r}; `segue runs` lists runs")


def _check_choice(node: NodeDef, choice: str, text: str | None) -> None:
    if choice not in node.choices:
        raise NotFound(f"{choice!r} is no choice here: {', '.join(node.choices)}")
    if choice in node.text and not (text or "").strip():
        raise NotFound(f"'{choice}' wants a text beside it")
    if text is not None and len(text) > limits.HUMAN_TEXT_CHARS:
        raise NotFound(
            f"the text has {len(text):,} characters; at most {limits.HUMAN_TEXT_CHARS:,}"
        )
