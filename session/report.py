"""What people and programs are told of runs: read in one go, so that it is consistent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .status import Status, status
from .store import attachments, definitions, journal, requests, runs, steps
from .store.values import json_of, text_of

if TYPE_CHECKING:
    from .canonical import Json
    from .store.attachments import Attachment
    from .store.records import Attempt, EventRow, Request, Run
    from .store.store import Store


@dataclass(frozen=True, slots=True)
class Summary:
    """A run and its status: a line of a list."""

    run: Run
    status: Status


@dataclass(frozen=True, slots=True)
class Step:
    """One try of one visit, and what it gave."""

    attempt: Attempt
    kind: str
    output: Json


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that is shown of one run. `done` and `at` leave mounts out: they are no steps."""

    run: Run
    status: Status
    owner: Attachment | None
    input: Json
    output: Json
    steps: tuple[Step, ...]
    request: Request | None
    asks: str
    events: tuple[EventRow, ...]

    @property
    def done(self) -> int:
        """How many steps have ended."""
        ended = {(s.attempt.node, s.attempt.visit) for s in self.steps if s.attempt.ended_at}
        return len(ended - {self.at} if self.at else ended)

    @property
    def at(self) -> tuple[str, int] | None:
        """The node and visit that is under way."""
        last = self.steps[-1].attempt if self.steps else None
        return (last.node, last.visit) if last is not None and last.ended_at is None else None


def summaries(store: Store, limit: int) -> list[Summary]:
    """Give the newest runs, newest first."""
    with store.read() as db:
        listed = runs.latest(db, limit)
        return [Summary(run, status(run, attachments.get(db, run.session))) for run in listed]


def report(store: Store, text: str, *, events: bool = False) -> Report:
    """Give all of the run that a person names.

    Raises:
        NotFound: There is none, or several.
    """
    with store.read() as db:
        run = runs.find(db, text)
        definition = definitions.get(db, run.definition)
        owner = attachments.get(db, run.session)
        listed = [(a, definition.node(a.node).kind) for a in steps.page(db, run.pk)]
        request = requests.open_of(db, run.pk)
        return Report(
            run=run,
            status=status(run, owner),
            owner=owner,
            input=json_of(db, run.input),
            output=json_of(db, run.output),
            steps=tuple(Step(a, k, json_of(db, a.output)) for a, k in listed if k != "mount"),
            request=request,
            asks="" if request is None else text_of(db, request.text),
            events=tuple(journal.page(db, run.pk)) if events else (),
        )
