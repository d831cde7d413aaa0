"""Starting a workflow in an attached session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import delivering, driving, ownership
from .errors import SegueError
from .hosts import Door
from .launches import run_id
from .messages import chain_of
from .ownership import Act, Who
from .replies import Reply
from .store import messages, runs

if TYPE_CHECKING:
    from .binding import Binding
    from .ownership import Actor


class HostLacks(SegueError):
    """The workflow needs something that the host cannot do."""

    code = "host_lacks"


def start(
    binding: Binding,
    name: str,
    *,
    value: Any = None,
    text: str | None = None,
    actor: Actor,
    launch_id: str,
    call: str = "",
) -> Reply:
    """Start a workflow in this session, by name and free text or input.

    `call` is the host's id of the model's call, for the in-turn door.
    """
    ownership.check(actor, Act.START, binding.key)
    with binding.calls:
        loaded = binding.service.load_trusted(name, actor)
        missing = binding.capabilities.lacks(loaded.definition)
        if missing:
            loaded.worker.kill()
            raise HostLacks(
                f"workflow '{loaded.definition.name}' needs {' and '.join(missing)};"
                f" {binding.key.host} does not offer that"
            )
        parent, chain = _caused_by(binding, launch_id)
        if chain:
            loaded.options["chain"] = chain
        try:
            given = binding.service.input_for(loaded, value, text)
            with binding.driving():
                prepared = binding.service.prepare(
                    loaded,
                    given,
                    actor=actor,
                    origin=binding.key,
                    launch_id=launch_id,
                    authority=binding.authority,
                    parent=parent,
                    store=binding.store,
                )
                if prepared.how != "adopted":
                    _supersede_fallback(binding)
                    driving.drive(binding, prepared.run, loaded.worker)
        except BaseException:
            loaded.worker.kill()
            raise
    if prepared.how == "adopted":
        loaded.worker.kill()
    run, adopted = prepared.run, prepared.how == "adopted"
    binding.nudge(wait=bool(call))
    message = binding.take(Door.IN_TURN, call) if call and not adopted else None
    said = f"{'Already started' if adopted else 'Started'} workflow {run.workflow}, run {run.id}."
    if message is None and actor.who is Who.MODEL:
        said += " End your turn now: its first step comes as the next message."
    elif message is not None:
        said += f" Its first step:\n\n{message.text}"
    return Reply(said, {"run": run.id, "how": prepared.how}, message)


def _caused_by(binding: Binding, launch_id: str) -> tuple[str | None, int]:
    """Give the run whose fallback turn this is, and how many there were in a row (T10).

    A launch that is told again has the parent that it had (O5), whatever turn it is now.
    """
    with binding.store.read() as db:
        before = runs.get(db, run_id(binding.key, launch_id))
    if before is not None:
        return before.parent, chain_of(before)
    message = None if binding.turn is None else binding.turn.message
    if message is None or message.kind != "fallback" or message.run is None:
        return None, 0
    with binding.store.read() as db:
        run = runs.by_pk(db, message.run)
    return run.id, chain_of(run) + 1


def _supersede_fallback(binding: Binding) -> None:
    with delivering.message_write(binding) as tx:
        messages.supersede(tx, binding.authority.session)
        tx.event("superseded", session=binding.authority.session)
