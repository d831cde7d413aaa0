"""The asker's own process in the place of an owner that is proved gone (D3, D9)."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from . import process
from .messages import Voice
from .status import REHEARSAL, abandoned
from .store import attachments

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .runner import Runner
    from .service import Service
    from .store.records import Authority, Run


def owner_is_gone(service: Service, run: Run) -> bool:
    """Whether nobody holds the run's session: let go of, or proved gone."""
    with service.store.read() as db:
        return abandoned(attachments.get(db, run.session))


@contextmanager
def attached(service: Service, run: Run, reason: str) -> Iterator[Authority]:
    """Hold the session of an abandoned run for a moment.

    Raises:
        Conflict: Somebody else has attached meanwhile: nobody living is ever put aside.
    """
    with service.store.read() as db:
        owner = attachments.get(db, run.session)
    authority = attachments.attach(
        service.store,
        run.origin,
        instance="segue",
        process=process.current(),
        reason=reason,
        facts={},
        over=0 if owner is None else owner.epoch,
    )
    try:
        yield authority
    finally:
        attachments.detach(service.store, authority)


@contextmanager
def driving(service: Service, run: Run, reason: str) -> Iterator[Runner]:
    """Drive an abandoned run for a moment: what it has to say waits for its session."""
    with attached(service, run, reason) as authority:
        voice = None if run.origin.host == REHEARSAL else Voice
        runner = service.runner(service.find_run(run.id), authority, voice=voice)
        try:
            yield runner
        finally:
            runner.close()
