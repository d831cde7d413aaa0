"""What a session shows and owns because a person says so: a run moved in, an ended one cleared."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import ownership
from .engine.state import RunEvent, move_run
from .errors import Conflict, NotFound
from .ownership import Act, Who
from .status import REHEARSAL
from .store import messages, runs, sessions

if TYPE_CHECKING:
    from .ownership import Actor, SessionKey
    from .service import Service
    from .store.records import Run
    from .store.sessions import SessionRow


def known(service: Service, key: SessionKey) -> SessionRow:
    """Give a session of this project.

    Raises:
        NotFound: It was never attached here; names those that were (O8).
    """
    with service.store.read() as db:
        found = sessions.get(db, key)
        listed = (
            [str(row.key) for row in sessions.latest(db, 6, without=REHEARSAL)]
            if found is None
            else []
        )
    if found is None:
        names = ", ".join(listed) or "none yet"
        raise NotFound(f"no session {key} was seen in this project (seen: {names})")
    return found


def check_rebind(service: Service, run: Run, to: SessionKey, actor: Actor) -> SessionRow:
    """Give the session that a run may be moved to.

    Raises:
        NotAllowed: The actor may not move it there.
        NotFound: The run has ended, or nobody has seen the session.
        Conflict: The run is there already, or the session has another one (O4).
    """
    ownership.check(actor, Act.REBIND, run.origin if actor.who is Who.ELSEWHERE else to)
    target = known(service, to)
    if run.state in runs.TERMINAL:
        raise NotFound(f"run {run.id} has ended already ({run.state})")
    if target.pk == run.session:
        raise Conflict(f"run {run.id} belongs to session {to} already")
    with service.store.read() as db:
        runs.check_free(db, target.pk)
    return target


def rebind(service: Service, run: Run, to: SessionKey, actor: Actor) -> Run:
    """Move a run to another session, because a person says so (O2); raises as `check_rebind`."""
    target = check_rebind(service, run, to, actor)
    with service.store.write(str(actor), run) as tx:
        runs.rebind(tx, target.pk)
        messages.supersede(tx, run.session)
        if run.state in ("queued", "running", "waiting"):
            tx.change(
                state=move_run(run.state, RunEvent.PARK),
                reason="rebound",
                detail=f"it was moved here from session {run.origin}; resume goes on with it",
            )
        tx.change(asked=None, asked_by=None)
        tx.event("rebound", {"from": str(run.origin), "to": str(to)})
    return service.find_run(run.id)


def clear(service: Service, key: SessionKey, actor: Actor) -> str | None:
    """Take the session's ended run off the screen; give its id."""
    ownership.check(actor, Act.STATUS, key)
    row = known(service, key)
    with service.store.read() as db:
        run = runs.shown_of(db, row.pk)
    if run is None:
        return None
    if run.state not in runs.TERMINAL:
        raise Conflict(f"run {run.id} has not ended ({run.state}): cancel it first")
    with service.store.write(str(actor)) as tx:
        sessions.clear(tx, row.pk, run.pk)
        tx.event("cleared", {"run": run.id}, session=row.pk)
    return run.id
