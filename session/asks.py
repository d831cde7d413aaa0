"""What is asked of a run from outside: a pause, a resume, a cancel (D9), what became of an effect.

Asking stores; the run's attachment carries it out. Only where that is proved gone does the
asker's own process do it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from . import ownership, recovery, standin
from .engine.state import RunEvent, StepEvent, move_run, move_step
from .errors import Conflict, NotFound
from .ownership import Act
from .status import readable
from .store import messages, requests, runs, steps

if TYPE_CHECKING:
    from .ownership import Actor
    from .service import Service
    from .store.records import Authority, Run
    from .store.store import Store

ACTS: Final = {"pause": Act.PAUSE, "resume": Act.RESUME, "cancel": Act.CANCEL}
_EVEN_UNREADABLE: Final = ("cancel",)


def ask(service: Service, run: Run, actor: Actor, what: str) -> Run:
    """Store a pause, a resume or a cancel.

    Raises:
        NotFound: The run has ended.
        Conflict: It cannot be done to the run as it stands; says what can.
    """
    ownership.check(actor, ACTS[what], run.origin)
    while True:
        _check(service, run, what)
        try:
            with service.store.write(str(actor), run) as tx:
                tx.change(asked=what, asked_by=str(actor))
                tx.event("asked_" + what)
        except Conflict:
            run = service.find_run(run.id)
            continue
        assert tx.run is not None
        return tx.run


def _check(service: Service, run: Run, what: str) -> None:
    if run.state in runs.TERMINAL:
        raise NotFound(f"run {run.id} has ended already ({run.state})")
    if what == "resume" and run.state == "ambiguous":
        raise Conflict(f"run {run.id} is ambiguous: {run.detail}")
    if what not in _EVEN_UNREADABLE:
        with service.store.read() as db:
            if not readable(db, run):
                raise Conflict(
                    f"run {run.id} was started by Segue {run.segue}, whose definitions this one"
                    f" cannot read: it can only be ended, segue cancel {run.id}"
                )


def carry_out(service: Service, run: Run, actor: Actor, what: str) -> Run:
    """Ask the run's owner; where that is gone, pause or cancel it from here."""
    asked = ask(service, run, actor, what)
    if what == "resume" or not standin.owner_is_gone(service, run):
        return asked
    with service.store.read() as db:
        whole = readable(db, asked)
    if whole:
        with standin.driving(service, run, what) as runner:
            runner.carry_out_asked()
        return runner.run
    with standin.attached(service, run, what) as authority:
        end_unread(service.store, asked, authority)
    return service.find_run(run.id)


def end_unread(store: Store, run: Run, authority: Authority) -> None:
    """End a run whose definition this Segue cannot read: what it runs and asks ends, too."""
    with store.read() as db:
        attempt = steps.get(db, run.pk, run.step)
    if attempt is not None and attempt.ended_at is None:
        recovery.end_group(store, attempt)
    reason = f"cancelled by {run.asked_by or 'a person'}"
    with store.write(f"runner@{authority.key}", run, authority) as tx:
        if attempt is not None and attempt.ended_at is None:
            state = move_step(attempt.state, StepEvent.CANCEL)
            steps.end(tx, attempt, state, None, reason, attempt.active_ms)
        requests.cancel_open(tx, run.pk)
        messages.supersede(tx, run.session)
        runs.end(tx, move_run(run.state, RunEvent.CANCEL), reason)
        tx.event("cancelled", {"reason": reason})


def settle(service: Service, run: Run, actor: Actor, how: str, output: Any) -> Run:
    """Say from elsewhere what became of an effect that a crash left unknown.

    Raises:
        Conflict: The run's session is attached: it is said there.
    """
    ownership.check(actor, Act.RESUME, run.origin)
    if not standin.owner_is_gone(service, run):
        raise Conflict(
            f"session {run.origin} is attached: type /workflow resume --effect {how} there"
        )
    with standin.driving(service, run, "settle") as runner:
        runner.settle(how, output)
    return runner.run
