"""What people and programs are told of runs: read in one go, so that it is consistent."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .status import Status, status
from .store import attachments, definitions, journal, requests, runs, steps
from .store.values import json_of, text_of

if TYPE_CHECKING:
    from .canonical import Json
    from .store.attachments import Attachment
    from .store.connection import Connection
    from .store.records import Attempt, EventRow, Request, Run
    from .store.store import Store
    from .workflow.snapshot import Definition


class Summary(NamedTuple):
    """A run and its status: a line of a list."""

    run: Run
    status: Status


class Step(NamedTuple):
    """One try of one visit, and what it gave."""

    attempt: Attempt
    kind: str
    output: Json


class Report(NamedTuple):
    """Everything that is shown of one run. Mounts are no steps, but a run can stand at one."""

    run: Run
    definition: Definition
    status: Status
    owner: Attachment | None
    input: Json
    output: Json
    steps: tuple[Step, ...]
    at: Attempt | None
    request: Request | None
    asks: str
    events: tuple[EventRow, ...]

    @property
    def done(self) -> int:
        """How many steps have ended."""
        ended = {(s.attempt.node, s.attempt.visit) for s in self.steps if s.attempt.ended_at}
        at = self.at
        return len(ended) if at is None else len(ended - {(at.node, at.visit)})


def summaries(store: Store, limit: int) -> list[Summary]:
    """Give the newest runs, newest first."""
    with store.read() as db:
        listed = runs.latest(db, limit)
        return [Summary(run, status(db, run)) for run in listed]


def under_way(db: Connection) -> list[Summary]:
    """Give the runs that have not ended, newest first."""
    return [Summary(run, status(db, run)) for run in runs.live(db)]


def report(store: Store, text: str, *, events: bool = False) -> Report:
    """Give all of the run that a person names.

    Raises:
        NotFound: There is none, or several.
    """
    with store.read() as db:
        run = runs.find(db, text)
        definition = definitions.get(db, run.definition)
        owner = attachments.get(db, run.session)
        listed = steps.page(db, run.pk)
        kinds = [(a, definition.node(a.node).kind) for a in listed]
        request = requests.open_of(db, run.pk)
        return Report(
            run=run,
            definition=definition,
            status=status(db, run),
            owner=owner,
            input=json_of(db, run.input),
            output=json_of(db, run.output),
            steps=tuple(Step(a, k, json_of(db, a.output)) for a, k in kinds if k != "mount"),
            at=listed[-1] if listed and listed[-1].ended_at is None else None,
            request=request,
            asks="" if request is None else text_of(db, request.text),
            events=tuple(journal.page(db, run.pk)) if events else (),
        )
