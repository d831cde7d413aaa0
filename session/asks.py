"""What is asked of a run from outside: a pause, a resume, a cancel (D9).

Asking stores; the run's attachment carries it out. Only where that is proved gone does the
asker's own process pause or cancel the run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from . import ownership
from .errors import Conflict, NotFound
from .messages import Voice
from .ownership import Act
from .status import abandoned
from .store import attachments, runs

if TYPE_CHECKING:
    from .ownership import Actor
    from .service import Service
    from .store.records import Run

ACTS: Final = {"pause": Act.PAUSE, "resume": Act.RESUME, "cancel": Act.CANCEL}


def ask(service: Service, run: Run, actor: Actor, what: str) -> Run:
    """Store a pause, a resume or a cancel.

    Raises:
        NotFound: The run has ended.
    """
    ownership.check(actor, ACTS[what], run.origin)
    while True:
        if run.state in runs.TERMINAL:
            raise NotFound(f"run {run.id} has ended already ({run.state})")
        try:
            with service.store.write(str(actor), run) as tx:
                tx.change(asked=what, asked_by=str(actor))
                tx.event("asked_" + what)
        except Conflict:
            run = service.find_run(run.id)
            continue
        assert tx.run is not None
        return tx.run


def carry_out(service: Service, run: Run, actor: Actor, what: str) -> Run:
    """Ask the run's owner; where that is gone, pause or cancel it from here."""
    asked = ask(service, run, actor, what)
    with service.store.read() as db:
        owner = attachments.get(db, run.session)
    if what == "resume" or not abandoned(owner):
        return asked
    authority = service.attach(run.origin, instance="segue", reason=what)
    runner = service.runner(service.find_run(run.id), authority, voice=Voice)
    try:
        runner.carry_out_asked()
    finally:
        runner.close()
        attachments.detach(service.store, authority)
    return runner.run
