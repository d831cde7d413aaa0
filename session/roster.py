"""The sessions of a project: who holds each, on what proof, its run, and where it came from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .outlook import successors
from .report import Summary
from .status import REHEARSAL, attached, proof, status
from .store import attachments, runs, sessions

if TYPE_CHECKING:
    from .store.attachments import Attachment
    from .store.connection import Connection
    from .store.records import Run
    from .store.sessions import SessionRow


@dataclass(frozen=True, slots=True)
class Entry:
    """One session.

    Attributes:
        attached: True, False, or None where it cannot be told from here.
        proof: What that rests on.
        run: Its run that has not ended, else its latest one.
        lineage: Kind, other session or event, and time (ms), in order.
        claims: Runs of the sessions it came from, which a person may move here.
    """

    row: SessionRow
    owner: Attachment | None
    attached: bool | None
    proof: str
    run: Summary | None
    lineage: tuple[tuple[str, str, int], ...]
    claims: tuple[Run, ...]


def roster(db: Connection, limit: int = 50, *, rehearsals: bool = False) -> list[Entry]:
    """Give the sessions that were attached last, newest first."""
    listed = sessions.latest(db, limit, without="" if rehearsals else REHEARSAL)
    return [_entry(db, row) for row in listed]


def _entry(db: Connection, row: SessionRow) -> Entry:
    owner = attachments.get(db, row.pk)
    held = attached(owner)
    run = runs.live_of(db, row.pk) or runs.shown_of(db, row.pk)
    lineage = sessions.lineage(db, row.pk)
    busy = run is not None and not run.ended_at
    return Entry(
        row,
        owner,
        held,
        proof(owner, held),
        None if run is None else Summary(run, status(db, run)),
        tuple(lineage),
        () if busy else tuple(_claims(db, row)),
    )


def _claims(db: Connection, row: SessionRow) -> list[Run]:
    made = []
    for parent in sessions.parents(db, row):
        run = runs.live_of(db, parent.pk)
        if run is not None and any(s.session == str(row.key) for s in successors(db, run)):
            made.append(run)
    return made
