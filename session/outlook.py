"""Where one run stands and what can go on with it: all that a person needs to decide."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .canonical import digest_text
from .errors import NotFound
from .status import Status, abandoned, proof, status_with
from .store import attachments, definitions, requests, runs, sessions, steps
from .store.values import text_of

if TYPE_CHECKING:
    from .store.attachments import Attachment
    from .store.connection import Connection
    from .store.records import Request, Run
    from .workflow.snapshot import NodeDef


@dataclass(frozen=True, slots=True)
class Question:
    """What a run asks, as it is shown; `shown` is the digest of exactly this text (H2)."""

    request: Request
    node: NodeDef | None
    text: str
    shown: bytes
    given: bool
    """Whether an answer is stored already and waits to be carried out."""


@dataclass(frozen=True, slots=True)
class Successor:
    """A session that came out of the run's own: a person may move the run there (P-A11)."""

    session: str
    kind: str


@dataclass(frozen=True, slots=True)
class Outlook:
    """A run, its status, and what the status rests on."""

    run: Run
    status: Status
    owner: Attachment | None
    proof: str
    node: str | None
    done: int
    """How many steps have ended."""
    question: Question | None
    successors: tuple[Successor, ...]


def outlook(db: Connection, run: Run) -> Outlook:
    """Give where a run stands, whatever version of Segue has started it."""
    owner = attachments.get(db, run.session)
    attempt = steps.get(db, run.pk, run.step)
    request = requests.open_of(db, run.pk)
    stands = status_with(db, run, attempt, request)
    return Outlook(
        run,
        stands,
        owner,
        proof(owner, stands.attached),
        None if attempt is None or run.ended_at else attempt.node,
        _done(db, run),
        None if request is None else question(db, run, request),
        () if run.ended_at else successors(db, run),
    )


def _done(db: Connection, run: Run) -> int:
    definition = definitions.find(db, run.definition)
    if definition is None:
        return run.steps if run.ended_at else max(0, run.steps - 1)
    listed = [a for a in steps.page(db, run.pk) if definition.node(a.node).kind != "mount"]
    open_ = {(a.node, a.visit) for a in listed[-1:] if a.ended_at is None}
    return len({(a.node, a.visit) for a in listed if a.ended_at} - open_)


def question(db: Connection, run: Run, request: Request) -> Question:
    """Give a request as it is shown to a person."""
    definition = definitions.find(db, run.definition)
    attempt = steps.get(db, run.pk, request.step)
    node = definition.node(attempt.node) if definition and attempt else None
    text = text_of(db, request.text)
    given = requests.given(db, request) is not None
    return Question(request, node, text, digest_text(text), given)


def asked(db: Connection, request_id: str) -> tuple[Run, Question]:
    """Give a request by its opaque id, and its run.

    Raises:
        NotFound: There is none.
    """
    request = requests.get(db, request_id)
    if request is None:
        raise NotFound(
            f"there is no request {request_id[:80]!r}; `segue status` shows what is asked"
        )
    run = runs.by_pk(db, request.run)
    return run, question(db, run, request)


def problems(db: Connection, request_id: str) -> list[dict[str, str]]:
    """Give what was wrong with the last rejected answer to a request."""
    request = requests.get(db, request_id)
    listed = [] if request is None else requests.rejections(db, request)
    made: list[dict[str, str]] = json.loads(listed[-1][1]) if listed else []
    return made


def successors(db: Connection, run: Run) -> tuple[Successor, ...]:
    """Give the sessions that could have the run: those that took its own one's place.

    A fork is named only where nobody holds its parent any more; one with a run of its own is not.
    """
    alone = abandoned(attachments.get(db, run.session))
    return tuple(
        Successor(str(row.key), kind)
        for row, kind in sessions.successors(db, run.origin)
        if (kind == "cleared" or alone) and runs.live_of(db, row.pk) is None
    )
