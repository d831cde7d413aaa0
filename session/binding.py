"""One session that this process is attached to: what its host tells, and what is said in it.

`Binding` is all an adapter needs. It drives the session's run and is the session's only
coordinator of messages: each goes through one door, once (T2), and only while the conversation
is idle (T5). In-line, every call works until nothing more can be done; `Pump` does the same on a
thread and hears other processes' commits.

What a binding does lies beside it, one noun a module: `driving` the run, `delivering` messages,
`turns`, `restating` the open step, `history` of the conversation, `starting`, `replies`. Adapters
see the binding alone.
"""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from . import delivering, driving, history, replies, starting, turns
from .errors import Conflict, Fenced, Moved
from .hosts import Door
from .ownership import Act, Who
from .replies import Reply
from .starting import HostLacks
from .store import attachments
from .store.store import Store
from .turns import Turn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .hosts import Capabilities, Host, Offer, Report
    from .ownership import Actor
    from .runner import Runner
    from .service import Service
    from .store.records import Authority


class Binding:
    """The live end of one attached session. Calls may come from any thread."""

    def __init__(
        self,
        service: Service,
        authority: Authority,
        capabilities: Capabilities,
        host: Host | None,
        *,
        reopened: bool,
        patience: float = 0.0,
    ) -> None:
        self.service = service
        self.key = authority.key
        self.authority = authority
        self.capabilities = capabilities
        self.host = host
        self.store = Store(service.database, service.clock)
        """The driving connection; calls read and write over the service's."""
        self.turn: Turn | None = None
        self.runner: Runner | None = None
        self.closed = False
        self._lock = threading.RLock()
        self.calls = threading.RLock()
        self.idle = True
        self.reported = False
        self.held = False
        """Something waits to be said and the session was not idle."""
        self.working = False
        self.stopping = False
        self.given: set[str] = set()
        """Ids of what this process has handed over: their turns are told to it."""
        self.broke_in = False
        """The latest turn was a person's own."""
        self.hushed = False
        """A person has just stopped a turn: no other one starts before they act (T4)."""
        self.shown: tuple[int, int] | None = (0, 0)
        self._wake: Callable[[], None] | None = None
        self._settle: Callable[[float], bool] | None = None
        self.patience = patience
        self.runner_actor = f"runner@{self.key}"
        with self.driving():
            driving.take_up(self, reopened=reopened)
        self.pump()

    @contextmanager
    def driving(self) -> Iterator[None]:
        """Act as the session's one driver; let go, or step aside, where it is not any more."""
        with self._lock:
            if self.closed:
                raise Fenced(f"session {self.key} is not attached here any more")
            try:
                yield
            except Moved as error:
                self.let_go()
                raise Conflict(str(error)) from error
            except Fenced:
                self._step_aside()
                raise

    def let_go(self) -> None:
        """A person moved the run to another session (O2): this one is attached still."""
        if self.runner is not None:
            self.runner.close()
            self.runner = None

    def _step_aside(self) -> None:
        """A newer attachment took over (O7): end the worker, write nothing, say nothing."""
        self.closed = True
        if self.runner is not None:
            self.runner.close()
        self.store.close()

    def close(self) -> None:
        """Detach: the run stands as it is stored, for the next attachment (D4)."""
        with self._lock:
            if self.closed:
                return
            with suppress(Fenced):
                attachments.detach(self.store, self.authority)
            self._step_aside()

    def breathe(self) -> None:
        """While a worker works, let the calls of other threads in."""
        if self._wake is not None:
            self._lock.release()
            time.sleep(0.001)
            self._lock.acquire()

    def pump(self) -> None:
        """Do all that can be done now: drive the run, say what is due, show what changed."""
        if self.closed:
            return
        with self.driving():
            driving.drive_on(self)
            if not self.working:
                turns.make_good(self)
            delivering.deliver(self)
            driving.drive_on(self)
            driving.show(self)

    def looked(self) -> Runner | None:
        """Give the runner, with what others have stored read in; None where it has moved away."""
        if self.runner is not None:
            try:
                self.runner.look()
            except Moved:
                self.let_go()
        return self.runner

    def take(self, door: Door, call: str) -> Offer | None:
        """Give the next turn intent to a door that carries it along with an answer."""
        return delivering.take(self, door, call)

    def overdue(self, call: str) -> Offer | None:
        """Give what is due to a model that asks, where nothing but an answer can carry it."""
        only = self.capabilities.doors == {Door.IN_TURN}
        return self.take(Door.IN_TURN, call) if only and call else None

    def notices(self) -> tuple[str, ...]:
        """Give, and mark as seen, the notices of a host that cannot be pushed to."""
        return delivering.notices(self)

    def seen(self, message_id: str) -> None:
        """A message has come into the conversation."""
        delivering.seen(self, message_id)

    def report(self, report: Report) -> None:
        """The host tells what it finds in the conversation."""
        with self.driving():
            delivering.hear(self, report)
        self.nudge()

    def turn_started(self, cause: str | None) -> None:
        """A turn has begun: by message id, by `"user"`, or None where the host cannot tell."""
        turns.started(self, cause)

    def turn_ended(self, outcome: str, text: str = "", *, error: str = "", call: str = "") -> Reply:
        """A turn has ended and the host is idle again; the answer may carry the next message.

        Args:
            outcome: `completed`, `aborted` (by a person) or `failed` (a provider error).
            text: The last visible text of the turn, where the host tells it.
            error: What the provider said.
            call: The host's id of this call, for the at-stop door.
        """
        return turns.ended(self, outcome, text, error=error, call=call)

    def compacted(self, event: str) -> None:
        """The conversation was compacted: its open step is said again, once (T9)."""
        history.compacted(self, event)

    def branch_moved(self, report: Report) -> None:
        """The person went to another branch of the conversation; leaving the step pauses (T4)."""
        history.branch_moved(self, report)

    def forked_from(self, parent: str) -> None:
        """This conversation is a copy of another: it owns nothing of it (O6)."""
        history.note_origin(self, "forked", parent)

    def cleared_from(self, parent: str) -> None:
        """This conversation took the place of another under a new id."""
        history.note_origin(self, "cleared", parent)

    def start(
        self,
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
        return starting.start(
            self, name, value=value, text=text, actor=actor, launch_id=launch_id, call=call
        )

    def submit(self, request_id: str, raw: Any, *, actor: Actor, call: str = "") -> Reply:
        """Take the model's answer to an `output` request."""
        return replies.answer(self, request_id, raw, actor, Act.SUBMIT, call, ("output",))

    def answer(self, request_id: str, raw: Any, *, actor: Actor, call: str = "") -> Reply:
        """Take an answer to a checkpoint."""
        return replies.answer(
            self, request_id, raw, actor, Act.ANSWER_CHECKPOINT, call, ("checkpoint",)
        )

    def update(self, request_id: str, data: dict[str, Any], *, actor: Actor) -> Reply:
        """Keep how far the model says an open step is; it never routes."""
        return replies.update(self, request_id, data, actor=actor)

    def refresh(self) -> None:
        """Show the session's run anew, changed or not."""
        with self.driving():
            self.shown = (0, 0)
            driving.show(self)

    def decide(
        self, request_id: str, choice: str, text: str | None, shown: bytes | None, *, actor: Actor
    ) -> Reply:
        """Take a person's answer to a human request (H1, H2)."""
        return replies.decide(self, request_id, choice, text, shown, actor=actor)

    def ask(self, what: str, *, actor: Actor) -> Reply:
        """Pause, resume or cancel this session's run."""
        return replies.ask(self, what, actor=actor)

    def settle(self, how: str, output: Any, *, actor: Actor) -> Reply:
        """Say what became of an effect that a crash left unknown: done, again or failed."""
        return replies.settle(self, how, output, actor=actor)

    def nudge(self, *, wait: bool = False) -> None:
        """There is something to do: at once in-line, else on the pump's thread.

        `wait` for doors that carry the next step along: as long as the host's patience lasts.
        """
        if self._wake is None or self._settle is None:
            self.pump()
            return
        self._wake()
        if wait:
            self._settle(self.patience)

    def on_wake(self, wake: Callable[[], None], settle: Callable[[float], bool]) -> None:
        """From now on a pump drives; calls only wake it."""
        self._wake, self._settle = wake, settle

    def data_version(self) -> int:
        """A number that changes when another connection commits."""
        with self.driving():
            return self.store.data_version()

    def time_is_due(self) -> bool:
        """Whether a wait, a deadline or a step's own time has run out."""
        with self.driving():
            return self.runner is not None and self.runner.time_is_due()


__all__ = ["Binding", "HostLacks", "Reply", "Turn", "Who"]
