"""How a run comes to be: a workflow that may run (S1), its input, its identity (O5)."""

from __future__ import annotations

import base64
import hashlib
from typing import TYPE_CHECKING, Any

from . import ownership, trust
from .errors import SegueError
from .ownership import Act, Actor, Who
from .store import runs
from .workflow import discovery
from .workflow.freetext import from_text

if TYPE_CHECKING:
    from .canonical import Json
    from .loader import Loaded
    from .ownership import SessionKey
    from .service import Service
    from .store.records import Authority
    from .store.runs import Prepared
    from .store.store import Store


class Untrusted(SegueError):
    """The project may not run code (S1)."""

    code = "untrusted"


def load_trusted(service: Service, name: str, actor: Actor | None = None) -> Loaded:
    """Load a workflow by name, if its project may run code (S1).

    Raises:
        Untrusted: Nobody has trusted the project. Only a person is told how that is done (H1).
    """
    found = discovery.find(name, service.project)
    if found.origin in ("project", "path") and not (
        service.trusted or trust.is_trusted(service.home, service.project)
    ):
        if actor is None or actor.who is Who.MODEL:
            how = "tell the person that they have to trust it first; you cannot"
        else:
            how = "`segue trust`, typed in a terminal there, says that it may run"
        raise Untrusted(f"{service.project} is not trusted, so nothing of it is run: {how}")
    return service.load(found)


def input_for(loaded: Loaded, value: Any, text: str | None) -> Json:
    """Give the input that was written as JSON, or as free text after the name."""
    if text is None or not text.strip():
        made: Json = {} if value is None else value
        return made
    return from_text(loaded.definition.input_schema, loaded.definition.name, text.strip())


def prepare(
    service: Service,
    loaded: Loaded,
    value: Json,
    *,
    actor: Actor,
    origin: SessionKey,
    launch_id: str,
    authority: Authority | None,
    parent: str | None,
    store: Store,
) -> Prepared:
    """Start a run by its identity, or adopt the one that the same launch started (O5)."""
    ownership.check(actor, Act.QUEUE if actor.who is Who.ELSEWHERE else Act.START, origin)
    checked = service.check_input(loaded, value)
    launch = runs.Launch(
        run_id=run_id(origin, launch_id),
        origin=origin,
        definition=loaded.definition,
        source_ref=loaded.found.ref,
        sources=loaded.sources,
        texts=loaded.texts,
        input=checked,
        options=loaded.options,
        parent=parent,
        project=str(service.project),
    )
    return runs.prepare_or_adopt(store, str(actor), launch, authority)


def queue(
    service: Service,
    name: str,
    value: Any,
    text: str | None,
    key: SessionKey,
    told: Actor | None = None,
) -> Prepared:
    """Start a run for a session from elsewhere; its attachment takes it up."""
    service.session(key)
    loaded = load_trusted(service, name, told)
    try:
        return service.prepare(
            loaded,
            input_for(loaded, value, text),
            actor=Actor(Who.ELSEWHERE),
            origin=key,
            launch_id=service.ids.new("start"),
            authority=None,
        )
    finally:
        loaded.worker.kill()


def run_id(origin: SessionKey, launch_id: str) -> str:
    """Give a run's id: a digest of the session and of what launched it (O5)."""
    data = hashlib.sha256(f"{origin.host}\0{origin.id}\0{launch_id}".encode()).digest()
    return "run-" + base64.b32encode(data[:10]).decode().lower()
