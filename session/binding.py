"""One session that this process is attached to: what its host tells, and what is said in it.

`Binding` is all an adapter needs. It drives the session's run and is the session's only
coordinator of messages: each goes through one door, once (T2), and only while the conversation
is idle (T5). In-line, every call works until nothing more can be done; `Pump` does the same on a
thread and hears other processes' commits.
"""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from . import limits, ownership
from . import text as texts
from .asks import end_unread
from .engine.state import TERMINAL
from .errors import Conflict, Fenced, Moved, NotAllowed, NotFound, SegueError
from .hosts import Door, Evidence, Offer, Report, Taken
from .launches import run_id
from .messages import REMINDERS, Voice, message_id
from .ownership import Act, Actor, SessionKey, Who
from .status import readable
from .store import attachments, messages, requests, runs, sessions, steps
from .store.store import Store
from .store.values import text_of
from .view import view

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .engine.child import Worker
    from .hosts import Capabilities, Host
    from .runner import Runner
    from .service import Service
    from .standing import Receipt
    from .store.messages import Message
    from .store.records import Authority, Request, Run
    from .store.tx import Tx

_REPRESENTABLE = ("step", "reminder", "resumed", "restated")


@dataclass(slots=True)
class Turn:
    """The turn that runs now: the message that started it, or a person."""

    message: Message | None
    aborting: bool = False
    """Segue itself has asked the host to stop it."""
    recalled: bool = False
    """It began before this process did; whether it still runs, the host has to say."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a host gets back from a call.

    `message` goes into the conversation together with the reply (the in-turn and at-stop
    doors); `notices` are shown to the person.
    """

    text: str
    data: dict[str, Any] = field(default_factory=dict)
    message: Offer | None = None
    notices: tuple[str, ...] = ()


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
        self._calls = threading.RLock()
        self._idle = True
        self._reported = False
        self.held = False
        """Something waits to be said and the session was not idle."""
        self._working = False
        self._stopping = False
        self._given: set[str] = set()
        """Ids of what this process has handed over: their turns are told to it."""
        self._broke_in = False
        """The latest turn was a person's own."""
        self._hushed = False
        """A person has just stopped a turn: no other one starts before they act (T4)."""
        self._shown: tuple[int, int] | None = (0, 0)
        self._wake: Callable[[], None] | None = None
        self._settle: Callable[[float], bool] | None = None
        self.patience = patience
        self._runner_actor = f"runner@{self.key}"
        with self._driving():
            self._take_up(reopened=reopened)
        self.pump()

    # --- life

    @contextmanager
    def _driving(self) -> Iterator[None]:
        with self._lock:
            if self.closed:
                raise Fenced(f"session {self.key} is not attached here any more")
            try:
                yield
            except Moved as error:
                self._let_go()
                raise Conflict(str(error)) from error
            except Fenced:
                self._step_aside()
                raise

    def _let_go(self) -> None:
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

    def _take_up(self, *, reopened: bool) -> None:
        """Find the session's run; in a reopened session it waits for the person (T11)."""
        with self.store.read() as db:
            run = runs.live_of(db, self.authority.session)
        if run is not None and not self._unreadable(run):
            self._drive(run)
        if not reopened:
            self._recall_turn()
        runner = self.runner
        if runner is None or run is None:
            return
        goes_on = not reopened or run.asked == "resume"
        if goes_on or runner.definition.on_reopen == "continue":
            if run.state == "queued":
                runner.claim()
            elif not goes_on and runner.run.state == "running":
                self._say_again(runner, f"reopened:{self.authority.epoch}")
            return
        if run.state not in ("queued", "running", "waiting"):
            return
        if run.state == "waiting" and run.reason == "reopened":
            return
        done, name = run.steps, run.workflow
        runner.park(
            "reopened",
            f"'{name}' was left with {done} steps entered; /workflow resume goes on where it stood",
        )

    def _recall_turn(self) -> None:
        """An earlier process of this instance has died: the turn it knew of may still run."""
        with self.store.read() as db:
            last = messages.heard_last(db, self.authority.session)
        if last is None or last.turn not in (None, "started"):
            return
        self.turn = Turn(last, recalled=True)
        if self.host is not None and Door.PUSH in self.capabilities.doors:
            with suppress(OSError):
                self._hear(self.host.report())

    def _hear(self, report: Report) -> None:
        """Take a report: what it proves, and whether the conversation is idle."""
        self._reported = True
        self._idle = report.idle
        if report.idle and self.turn is not None and self.turn.recalled:
            self.turn = None
        self._apply(report)

    def _unreadable(self, run: Run) -> bool:
        """Whether another version's run stands here: it is shown as that, and can be ended."""
        with self.store.read() as db:
            if readable(db, run):
                return False
        if run.asked == "cancel":
            end_unread(self.store, run, self.authority)
        return True

    def _drive(self, run: Run, worker: Worker | None = None) -> None:
        self.runner = self.service.runner(
            run,
            self.authority,
            worker,
            loaded=worker is not None,
            voice=Voice,
            store=self.store,
            breathe=self._breathe,
        )

    def _breathe(self) -> None:
        """While a worker works, let the calls of other threads in."""
        if self._wake is not None:
            self._lock.release()
            time.sleep(0.001)
            self._lock.acquire()

    def _pause(self) -> None:
        """Store the person's pause; it is carried out between steps, like anybody's."""
        runner = self.runner
        if runner is None or runner.run.state in TERMINAL or runner.run.state == "paused":
            return
        with self._calls:
            run = self.service.find_run(runner.run.id)
            self.service.ask(run, Actor(Who.PERSON, self.key), "pause")

    # --- the loop

    def pump(self) -> None:
        """Do all that can be done now: drive the run, say what is due, show what changed."""
        if self.closed:
            return
        with self._driving():
            self._drive_on()
            if not self._working:
                self._make_good()
            self._deliver()
            self._drive_on()
            self._show()

    def _drive_on(self) -> None:
        self._adopt()
        runner = self.runner
        if runner is None:
            return
        if self._working:
            return  # another thread drives; it let this one in between two looks
        if self._looked() is None:
            return
        self._working = True
        had = runner.request
        try:
            runner.look()
            if runner.run.asked == "resume":
                self._resume(runner, runner.run.asked_by or "a person")
            runner.take_given()
            runner.advance()
        finally:
            self._working = False
        if had is not None and runner.request is not had and self.turn is not None:
            self._stop_turn_of(had)
        if runner.run.state in TERMINAL:
            runner.close()
            self.runner = None

    def _looked(self) -> Runner | None:
        """Give the runner, with what others have stored read in; None where it has moved away."""
        if self.runner is not None:
            try:
                self.runner.look()
            except Moved:
                self._let_go()
        return self.runner

    def _adopt(self) -> None:
        """Take up a run that was queued or rebound here from elsewhere."""
        if self.runner is not None:
            return
        with self.store.read() as db:
            run = runs.live_of(db, self.authority.session)
        if run is None or self._unreadable(run):
            return
        self._drive(run)
        if run.state == "queued":
            assert self.runner is not None
            self.runner.claim()

    def _stop_turn_of(self, request: Request) -> None:
        """A step ended under its own running turn (its time was over): stop that turn (T10)."""
        turn = self.turn
        if turn is None or turn.message is None or turn.message.request != request.pk:
            return
        with self.store.read() as db:
            attempt = steps.get(db, request.run, request.step)
        if attempt is None or attempt.state != "timed_out" or turn.aborting:
            return
        turn.aborting = True
        if self.capabilities.abort and self.host is not None:
            with suppress(OSError):
                self.host.abort_turn()

    def _show(self) -> None:
        if self.host is None:
            return
        with self.store.read() as db:
            run = runs.shown_of(db, self.authority.session)
            now = None if run is None else (run.pk, run.revision)
            if now == self._shown:
                return
            self._shown = now
            shown = view(db, run, self.service.clock.now()) if run is not None else {"run": None}
        with suppress(OSError):
            self.host.changed(shown)

    # --- saying

    def _deliver(self) -> None:
        """Push what is due, in order, while the session is idle."""
        if self.host is None or Door.PUSH not in self.capabilities.doors:
            return
        for _ in range(100):
            if self.turn is not None or self._stopping:
                return
            if not self._look():
                return
            message = self._next()
            if message is None:
                return
            if not self._push(message):
                return

    def _look(self) -> bool:
        """Scan the conversation before offering; False when nothing may be said now.

        `held` then says that something waits to be said: it is looked again, since a host may
        tell of a turn's end before it is idle, and of nothing after that (P-B8).
        """
        self.held = False
        if self.capabilities.evidence is not Evidence.ENTRY and self._reported and self._idle:
            return True
        if not self._pending():
            return False
        self.held = True
        assert self.host is not None
        try:
            report = self.host.report()
        except OSError:
            return False
        self._reported = True
        self._idle = report.idle
        self._apply(report)
        self.held = not (report.idle and not report.queued)
        return not self.held

    def _pending(self) -> list[Message]:
        with self.store.read() as db:
            return messages.open_(db, self.authority.session)

    def _next(self) -> Message | None:
        """Give the first message that may be offered now."""
        listed = self._pending()
        if any(m.state == "offered" and m.is_intent for m in listed):
            return None  # one at a time: what was offered has to be settled first
        return next((m for m in listed if m.state == "pending" and self._due(m)), None)

    def _due(self, message: Message) -> bool:
        """Whether a pending message may be said as its run stands."""
        if message.kind == "notice":
            return True
        if message.kind == "fallback":
            return not self._hushed
        runner = self.runner
        if runner is None or runner.request is None or runner.request.pk != message.request:
            return False
        return runner.run.state == "running" or runner.run.reason == "checkpoint"

    def _push(self, message: Message) -> bool:
        assert self.host is not None
        call = self.service.ids.new("call")
        if not self._offered(message, Door.PUSH, call):
            return True
        try:
            taken = self.host.offer(self._offer(message))
        except OSError:
            return False  # unknown: the next report, or a later event, tells
        with self.store.read() as db:
            now = messages.get(db, message.id)
        if now is None or now.state != "offered":
            return True  # the host told of it while it took it
        if taken is Taken.BUSY:
            self._idle = False
            self.held = True
            self._move(now, "pending", "not_taken")
            return False
        if taken is Taken.SEEN or self.capabilities.evidence is Evidence.RECEIPT:
            self._move(now, "seen", "seen")
        return not message.is_intent

    def _offered(self, message: Message, door: Door, call: str) -> bool:
        """Write down that a door gets the message, before it does."""
        try:
            with self._message_write() as tx:
                messages.offer(tx, message, door, call)
                tx.event(
                    "offered", {"message": message.id, "door": str(door)}, session=message.session
                )
        except Conflict:
            return False
        self._given.add(message.id)
        return True

    def _offer(self, message: Message) -> Offer:
        with self.store.read() as db:
            said = text_of(db, message.text)
            request = None if message.request is None else requests.by_pk(db, message.request)
            run = None if message.run is None else runs.by_pk(db, message.run)
        details = {
            "kind": message.kind,
            "workflow": None if run is None else run.workflow,
            "run": None if run is None else run.id,
            "request": None if request is None else request.id,
            "step": message.step,
        }
        return Offer(message.id, message.kind, said, message.is_intent, details)

    def _move(self, message: Message, state: str, why: str) -> None:
        with suppress(Conflict), self._message_write() as tx:
            messages.move(tx, message, state)
            tx.event(why, {"message": message.id}, session=message.session)

    @contextmanager
    def _message_write(self) -> Iterator[Tx]:
        with self.store.write(self._runner_actor, None, self.authority) as tx:
            yield tx

    def _apply(self, report: Report) -> None:
        """Learn from a report: it proves something only of the messages it is about (T6)."""
        for message in self._pending():
            if message.id in report.entries:
                self._move(message, "seen", "seen")
            elif (
                message.state == "offered"
                and report.full
                and report.idle
                and message.id not in report.queued
            ):
                self._lost(message)

    def _lost(self, message: Message) -> None:
        """An offered message is not in the conversation: deliverable again, or void."""
        void = message.is_intent and message.kind != "fallback" and not self._open(message)
        if message.is_intent and any(m.is_intent and m.state == "pending" for m in self._pending()):
            void = True  # what came after it says the same: exactly one is deliverable (T6)
        self._move(message, "cancelled" if void else "pending", "lost")

    def _open(self, message: Message) -> bool:
        runner = self.runner
        request = None if runner is None else runner.request
        return request is not None and request.pk == message.request

    def take(self, door: Door, call: str) -> Offer | None:
        """Give the next turn intent to a door that carries it along with an answer."""
        with self._driving():
            if door not in self.capabilities.doors:
                return None
            self._scan()
            message = next(
                (
                    m
                    for m in self._pending()
                    if m.is_intent and m.state == "pending" and self._due(m)
                ),
                None,
            )
            if message is None or self._waits_for_proof():
                return None
            if not self._offered(message, door, call):
                return None
            offer = self._offer(message)
            if self.turn is not None and door is Door.IN_TURN:
                with self.store.read() as db:
                    self.turn.message = messages.get(db, message.id)
                self._start_clock(message)
            return offer

    def overdue(self, call: str) -> Offer | None:
        """Give what is due to a model that asks, where nothing but an answer can carry it."""
        only = self.capabilities.doors == {Door.IN_TURN}
        return self.take(Door.IN_TURN, call) if only and call else None

    def _scan(self) -> None:
        """Look for what was offered before, where the host can show it."""
        pushes = self.host is not None and Door.PUSH in self.capabilities.doors
        if pushes and self.capabilities.evidence is Evidence.ENTRY and self._waits_for_proof():
            assert self.host is not None
            with suppress(OSError):
                self._apply(self.host.report())

    def _waits_for_proof(self) -> bool:
        return any(m.state == "offered" and m.is_intent for m in self._pending())

    def notices(self) -> tuple[str, ...]:
        """Give, and mark as seen, the notices of a host that cannot be pushed to."""
        with self._driving():
            if self.host is not None and Door.PUSH in self.capabilities.doors:
                return ()
            made = []
            for message in self._pending():
                if message.kind == "notice" and message.state == "pending":
                    made.append(self._offer(message).text)
                    self._move(message, "seen", "seen")
            return tuple(made)

    # --- what the host tells

    def seen(self, message_id: str) -> None:
        """A message has come into the conversation."""
        with self._driving():
            message = self._message(message_id)
            if message is not None and message.state in ("pending", "offered"):
                self._move(message, "seen", "seen")

    def _message(self, message_id: str) -> Message | None:
        with self.store.read() as db:
            message = messages.get(db, message_id)
        if message is None or message.session != self.authority.session:
            return None  # a fork has its parent's messages copied into it (O6)
        return message

    def report(self, report: Report) -> None:
        """The host tells what it finds in the conversation."""
        with self._driving():
            self._hear(report)
        self.nudge()

    def turn_started(self, cause: str | None) -> None:
        """A turn has begun: by message id, by `"user"`, or None where the host cannot tell."""
        with self._driving():
            self._idle = False
            self._hushed = False
            before = self.turn
            message = None if cause in (None, "user") else self._message(str(cause))
            if cause == "user":
                self._user_spoke(before)
            if cause is None:
                message = self._unnamed()
            self.turn = Turn(message)
            self._broke_in = message is None
            if message is not None:
                if message.state in ("pending", "offered"):
                    self._move(message, "seen", "seen")
                self._turn_is(message, "started")
                self._start_clock(message)
        if cause == "user":
            self.nudge()  # it may have paused the run

    def _user_spoke(self, before: Turn | None) -> None:
        """A person's own prompt: no reminder after it (T7); a hidden stop pauses (T4)."""
        runner = self.runner
        for message in self._pending():
            if message.state == "offered" and self.capabilities.evidence is not Evidence.ENTRY:
                self._lost(message)
        if runner is None:
            return
        hidden = not self.capabilities.sees_abort
        if hidden and before is not None and before.message is not None and not before.aborting:
            self._turn_is(before.message, "aborted")
            runner.rest()
            self._pause()
        if runner.attempt is not None:
            step = runner.attempt.step
            with self._message_write() as tx:
                messages.withdraw(tx, runner.run.pk, step, ("reminder",))
                tx.event("user_prompt", session=self.authority.session)

    def _unnamed(self) -> Message | None:
        """A turn that no person began is that of the message whose turn has not begun yet."""
        offered = self._only_offered()
        if offered is not None:
            return offered
        with self.store.read() as db:
            last = messages.heard_last(db, self.authority.session)
        return None if last is None or last.turn is not None else last

    def _only_offered(self) -> Message | None:
        """Give the message that is offered, where there is one."""
        offered = [m for m in self._pending() if m.state == "offered" and m.is_intent]
        return offered[0] if len(offered) == 1 else None

    def _start_clock(self, message: Message) -> None:
        runner = self.runner
        if runner is not None and self._open(message):
            runner.start_clock()

    def _turn_is(self, message: Message, outcome: str) -> None:
        with self._message_write() as tx:
            messages.turn(tx, message, outcome)
            tx.event("turn", {"message": message.id, "turn": outcome}, session=message.session)

    def turn_ended(self, outcome: str, text: str = "", *, error: str = "", call: str = "") -> Reply:
        """A turn has ended and the host is idle again; the answer may carry the next message.

        Args:
            outcome: `completed`, `aborted` (by a person) or `failed` (a provider error).
            text: The last visible text of the turn, where the host tells it.
            error: What the provider said.
            call: The host's id of this call, for the at-stop door.
        """
        with self._driving():
            turn, self.turn, self._idle = self.turn, None, True
            # Until the answer is given, what is due goes along with it, not by the push door.
            self._stopping = Door.AT_STOP in self.capabilities.doors
            self._hushed = outcome == "aborted" and not (turn is not None and turn.aborting)
            if turn is None or turn.recalled:
                self._unproved()
            message = self._only_offered() if turn is None else turn.message
            if message is not None:
                message = self._message(message.id)
            if message is not None:
                if message.state == "offered":
                    self._move(message, "seen", "seen")
                self._turn_is(message, outcome)
            runner = self._looked()
            if runner is not None:
                runner.rest()
                self._after_turn(turn, message, outcome, text, error)
        self.nudge(wait=True)
        try:
            return Reply("", {}, self._take_at_stop(outcome, call), self.notices())
        finally:
            self._stopping = False

    def _unproved(self) -> None:
        """What a process that died gave along with a tool's answer may never have arrived."""
        if self.capabilities.evidence is Evidence.ENTRY:
            return
        for message in self._pending():
            if message.state == "offered" and message.door == Door.IN_TURN:
                self._lost(message)

    def _take_at_stop(self, outcome: str, call: str) -> Offer | None:
        """A turn that a person stopped is not followed by another (T4)."""
        return None if outcome == "aborted" else self.take(Door.AT_STOP, call)

    def _after_turn(
        self, turn: Turn | None, message: Message | None, outcome: str, text: str, error: str
    ) -> None:
        runner = self.runner
        assert runner is not None
        if outcome == "aborted":
            if turn is None or not turn.aborting:
                self._pause()
            return
        ours = message is not None and message.kind in _REPRESENTABLE and self._open(message)
        if not ours or runner.run.state != "running" or runner.request is None:
            return
        if outcome == "failed":
            runner.park("turn_failed", f"the model's turn broke off: {error or 'provider error'}")
            return
        if runner.request.kind == "reply" and text.strip():
            with suppress(Conflict):  # it parked meanwhile, or its time was over
                if runner.submit(runner.request.id, text).accepted:
                    return
            if runner.request is None or runner.run.state != "running":
                return
        self._remind(runner, text)

    def _make_good(self) -> None:
        """Do what a process that died left undone after a turn: no run just stands there (D8)."""
        runner = self.runner
        if runner is None or runner.request is None or runner.run.state != "running":
            return
        if self.turn is not None or self._broke_in or not (self._idle and self._reported):
            return
        with self.store.read() as db:
            listed = messages.of_step(db, runner.run.pk, runner.request.step)
        said = [message for message in listed if message.is_intent]
        if not said or said[-1].state != "seen" or any(m.state == "offered" for m in said):
            return  # it is being said, or a person has broken in
        if said[-1].id in self._given:
            return  # its turn is about to begin
        match said[-1].turn:
            case "completed":
                self._remind(runner, "")
            case "aborted":
                self._pause()
            case outcome:
                how = "broke off" if outcome == "failed" else "ended while nobody was there"
                runner.park("turn_failed", f"the model's turn {how}: the step is open still")

    def _remind(self, runner: Runner, said: str) -> None:
        """The turn ended well and nothing was submitted (T7)."""
        attempt, request = runner.attempt, runner.request
        assert attempt is not None
        assert request is not None
        with self.store.read() as db:
            listed = messages.of_step(db, runner.run.pk, attempt.step)
        if any(m.state == "pending" and m.is_intent for m in listed):
            return  # a restated step is due: it is said instead
        count = sum(1 for m in listed if m.kind == "reminder")
        if count < REMINDERS:
            self._intent("reminder", f"turn:{count + 1}")
            return
        kept = said.strip()[: limits.REASON_CHARS // 2]
        detail = f"the model ended its turns at '{attempt.node}' without an answer"
        if kept:
            detail += f"; it said: {kept}"
        if runner.routes_failure():
            runner.fail(f"missing_submission: {detail}")
        else:
            runner.park("missing_submission", detail)

    def _intent(self, kind: str, cause: str) -> None:
        """Say the open step once more."""
        runner = self.runner
        assert runner is not None
        assert runner.attempt is not None
        assert runner.request is not None
        prompt, attempt, request = runner.prompt, runner.attempt, runner.request

        def body(tx: Tx) -> None:
            runner.voice.intent(tx, runner.run, attempt, request, kind, cause, prompt)
            tx.event(kind, {"request": request.id, "cause": cause})

        runner.write(body)

    def compacted(self, event: str) -> None:
        """The conversation was compacted: its open step is said again, once (T9)."""
        with self._driving():
            with self._message_write() as tx:
                sessions.add_lineage(tx, self.authority.session, "compacted", event)
                tx.event("compacted", {"event": event}, session=self.authority.session)
            runner = self._looked()
            if runner is not None and runner.request is not None and runner.attempt is not None:
                with self.store.read() as db:
                    listed = messages.of_step(db, runner.run.pk, runner.attempt.step)
                said = any(m.state in ("seen", "offered") for m in listed if m.is_intent)
                if said and (runner.run.state == "running" or runner.run.reason == "checkpoint"):
                    self._intent("restated", event)
        self.nudge()

    def branch_moved(self, report: Report) -> None:
        """The person went to another branch of the conversation; leaving the step pauses (T4)."""
        with self._driving():
            runner = self._looked()
            if runner is not None and runner.run.state == "running" and runner.attempt is not None:
                with self.store.read() as db:
                    listed = messages.of_step(db, runner.run.pk, runner.attempt.step)
                said = [m.id for m in listed if m.is_intent and m.state == "seen"]
                if said and not any(message_id in report.entries for message_id in said):
                    self._pause()
            with self._message_write() as tx:
                sessions.add_lineage(tx, self.authority.session, "moved", "branch")
                tx.event("branch_moved", session=self.authority.session)
        self.report(report)

    def forked_from(self, parent: str) -> None:
        """This conversation is a copy of another: it owns nothing of it (O6)."""
        self._note_origin("forked", parent)

    def cleared_from(self, parent: str) -> None:
        """This conversation took the place of another under a new id."""
        self._note_origin("cleared", parent)

    def _note_origin(self, kind: str, other: str) -> None:
        with self._driving(), self._message_write() as tx:
            sessions.add_lineage(tx, self.authority.session, kind, other)
            if kind == "cleared":
                self._offer_move(tx, other)
            tx.event(kind, {"from": other}, session=self.authority.session)
        self.nudge()

    def _offer_move(self, tx: Tx, other: str) -> None:
        """Tell the person of a run that stays behind: it never follows by itself (O2)."""
        before = sessions.get(tx.db, SessionKey(self.key.host, other))
        run = None if before is None else runs.live_of(tx.db, before.pk)
        if run is None:
            return
        messages.add(
            tx,
            message_id(run, "notice", "cleared", str(self.key)),
            self.authority.session,
            "notice",
            "cleared",
            texts.left_behind(run),
        )

    # --- what the model and the person ask for

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
        ownership.check(actor, Act.START, self.key)
        with self._calls:
            loaded = self.service.load_trusted(name, actor)
            missing = self.capabilities.lacks(loaded.definition)
            if missing:
                loaded.worker.kill()
                raise HostLacks(
                    f"workflow '{loaded.definition.name}' needs {' and '.join(missing)};"
                    f" {self.key.host} does not offer that"
                )
            parent, chain = self._caused_by(launch_id)
            if chain:
                loaded.options["chain"] = chain
            try:
                given = self.service.input_for(loaded, value, text)
                with self._driving():
                    prepared = self.service.prepare(
                        loaded,
                        given,
                        actor=actor,
                        origin=self.key,
                        launch_id=launch_id,
                        authority=self.authority,
                        parent=parent,
                        store=self.store,
                    )
                    if prepared.how != "adopted":
                        self._supersede_fallback()
                        self._drive(prepared.run, loaded.worker)
            except BaseException:
                loaded.worker.kill()
                raise
        if prepared.how == "adopted":
            loaded.worker.kill()
        run, adopted = prepared.run, prepared.how == "adopted"
        self.nudge(wait=bool(call))
        message = self.take(Door.IN_TURN, call) if call and not adopted else None
        said = (
            f"{'Already started' if adopted else 'Started'} workflow {run.workflow}, run {run.id}."
        )
        if message is None and actor.who is Who.MODEL:
            said += " End your turn now: its first step comes as the next message."
        elif message is not None:
            said += f" Its first step:\n\n{message.text}"
        return Reply(said, {"run": run.id, "how": prepared.how}, message)

    def _caused_by(self, launch_id: str) -> tuple[str | None, int]:
        """Give the run whose fallback turn this is, and how many there were in a row (T10).

        A launch that is told again has the parent that it had (O5), whatever turn it is now.
        """
        from .messages import chain_of

        with self.store.read() as db:
            before = runs.get(db, run_id(self.key, launch_id))
        if before is not None:
            return before.parent, chain_of(before)
        message = None if self.turn is None else self.turn.message
        if message is None or message.kind != "fallback" or message.run is None:
            return None, 0
        with self.store.read() as db:
            run = runs.by_pk(db, message.run)
        return run.id, chain_of(run) + 1

    def _supersede_fallback(self) -> None:
        with self._message_write() as tx:
            messages.supersede(tx, self.authority.session)
            tx.event("superseded", session=self.authority.session)

    def submit(self, request_id: str, raw: Any, *, actor: Actor, call: str = "") -> Reply:
        """Take the model's answer to an `output` request."""
        return self._answer(request_id, raw, actor, Act.SUBMIT, call, ("output",))

    def answer(self, request_id: str, raw: Any, *, actor: Actor, call: str = "") -> Reply:
        """Take an answer to a checkpoint."""
        return self._answer(request_id, raw, actor, Act.ANSWER_CHECKPOINT, call, ("checkpoint",))

    def _answer(
        self, request_id: str, raw: Any, actor: Actor, act: Act, call: str, kinds: tuple[str, ...]
    ) -> Reply:
        request, run = self._request(request_id, actor, act)
        if request.kind not in kinds:
            raise NotAllowed(_WRONG_KIND[request.kind].format(request=request.id))
        if request.state != "open":
            return self._receipt(request, run, raw)
        with self._driving():
            runner = self.runner
            if runner is None or runner.run.pk != run.pk:
                raise Conflict(f"run {run.id} is {run.state}: a person has to resume it first")
            runner.look()
            receipt = runner.submit(request_id, raw)
            if receipt.accepted and actor.who is Who.MODEL:
                self._proved(request)
        return self._answered(receipt, call)

    def _proved(self, request: Request) -> None:
        """Who answers a request has seen its message, where the host has no better proof."""
        if self.capabilities.evidence is Evidence.ENTRY:
            return
        for message in self._pending():
            if message.state == "offered" and message.request == request.pk:
                self._move(message, "seen", "seen")

    def _answered(self, receipt: Receipt, call: str) -> Reply:
        self.nudge(wait=True)
        message = self.take(Door.IN_TURN, call) if receipt.accepted and call else None
        text = receipt.message if message is None else f"Accepted. The next step:\n\n{message.text}"
        return Reply(text, receipt.to_json(), message)

    def _request(self, request_id: object, actor: Actor, act: Act) -> tuple[Request, Run]:
        """Give a request after the ownership table has let the act pass (O3)."""
        ownership.check(actor, act, self.key)
        if not isinstance(request_id, str) or not request_id:
            raise NotFound(f"request_id is missing. {self._state_line()}")
        with self._calls, self.service.store.read() as db:
            if actor.who is Who.MODEL:
                attachments.verify(db, self.authority)
            request = requests.get(db, request_id)
            run = None if request is None else runs.by_pk(db, request.run)
        if request is None or run is None:
            raise NotFound(f"there is no request {request_id[:80]!r}. {self._state_line()}")
        ownership.check(actor, act, run.origin)
        return request, run

    def _receipt(self, request: Request, run: Run, raw: Any) -> Reply:
        """The same answer again gets the saved receipt, and no second next step (T2)."""
        from .canonical import digest

        try:
            same = request.state == "answered" and request.answer == digest(raw)
        except (TypeError, ValueError):
            same = False
        if not same:
            raise Conflict(
                f"request {request.id} is {request.state} already (run {run.id} is {run.state})."
                f" {self._state_line()}"
            )
        saved = request.receipt_json()
        return Reply(str(saved["message"]), saved)

    def _state_line(self) -> str:
        runner = self.runner
        if runner is None:
            return "No run of this session is under way."
        open_ = "no request is open" if runner.request is None else f"open: {runner.request.id}"
        return f"Run {runner.run.id} is {runner.run.state}; {open_}."

    def update(self, request_id: str, data: dict[str, Any], *, actor: Actor) -> Reply:
        """Keep how far the model says an open step is; it never routes."""
        request, run = self._request(request_id, actor, Act.UPDATE)
        if request.state != "open":
            raise Conflict(f"request {request.id} is {request.state}. {self._state_line()}")
        with self._driving():
            runner = self.runner
            if runner is None or runner.run.pk != run.pk or run.state != "running":
                raise Conflict(f"run {run.id} is {run.state}: it takes no updates now")
            kept = runner.progress(data)
        self.nudge()
        return Reply("Noted." if kept else "Not kept: too many updates.", {"kept": kept})

    def refresh(self) -> None:
        """Show the session's run anew, changed or not."""
        with self._driving():
            self._shown = (0, 0)
            self._show()

    def decide(
        self, request_id: str, choice: str, text: str | None, shown: bytes | None, *, actor: Actor
    ) -> Reply:
        """Take a person's answer to a human request (H1, H2)."""
        request, _ = self._request(request_id, actor, Act.ANSWER_HUMAN)
        self.service.decide(request.id, choice, text, shown, actor)
        self.nudge()
        return Reply(f"'{choice}' was taken.", {"request": request.id, "choice": choice})

    def ask(self, what: str, *, actor: Actor) -> Reply:
        """Pause, resume or cancel this session's run."""
        act = {"pause": Act.PAUSE, "resume": Act.RESUME, "cancel": Act.CANCEL}[what]
        ownership.check(actor, act, self.key)
        with self._calls:
            with self.service.store.read() as db:
                if actor.who is Who.MODEL:  # only through the live attachment
                    attachments.verify(db, self.authority)
                run = runs.live_of(db, self.authority.session)
            if run is None:
                raise NotFound("no run of this session is under way")
            self.service.ask(run, actor, what)
        self.nudge()
        with self._calls:
            run = self.service.find_run(run.id)
        return Reply(
            f"Run {run.id} ({run.workflow}): {run.state}.", {"run": run.id, "state": run.state}
        )

    def settle(self, how: str, output: Any, *, actor: Actor) -> Reply:
        """Say what became of an effect that a crash left unknown: done, again or failed."""
        ownership.check(actor, Act.RESUME, self.key)
        with self._driving():
            runner = self.runner
            if runner is None:
                raise NotFound("no run of this session is under way")
            runner.look()
            runner.settle(how, output)
        self.nudge(wait=True)
        run = runner.run
        return Reply(f"Run {run.id} ({run.workflow}): {run.state}.", {"run": run.id})

    def _resume(self, runner: Runner, asker: str) -> None:
        """Go on as a person asked: the open step is said again where it was said before."""
        runner.resume(asker, self._again(runner, f"resume:{runner.run.revision}"))

    def _say_again(self, runner: Runner, cause: str) -> None:
        """Say the open step again in a reopened session that goes on by itself."""
        say = self._again(runner, cause)

        def body(tx: Tx) -> None:
            if say is not None:
                say(tx)
            tx.event("went_on", {"cause": cause})

        runner.write(body)

    def _again(self, runner: Runner, cause: str) -> Callable[[Tx], None] | None:
        """Give what says the open step again, inside a write; None where it is due anyway."""
        request, attempt = runner.request, runner.attempt
        if request is None or attempt is None or request.kind == "human":
            return None
        with self.store.read() as db:
            listed = messages.of_step(db, runner.run.pk, attempt.step)
        if any(m.state == "pending" and m.is_intent for m in listed):
            return None
        prompt = runner.prompt

        def say(tx: Tx) -> None:
            for message in listed:
                if message.state == "offered" and message.is_intent:
                    messages.move(tx, message, "cancelled")
            runner.voice.intent(tx, runner.run, attempt, request, "resumed", cause, prompt)

        return say

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
        with self._driving():
            return self.store.data_version()

    def time_is_due(self) -> bool:
        """Whether a wait, a deadline or a step's own time has run out."""
        with self._driving():
            return self.runner is not None and self.runner.time_is_due()


class HostLacks(SegueError):
    """The workflow needs something that the host cannot do."""

    code = "host_lacks"


_WRONG_KIND = {
    "output": 'request {request} is a step\'s output: use action "submit"',
    "reply": "request {request} is answered by the text of the turn: say it, then end your turn",
    "checkpoint": 'request {request} is a checkpoint: use action "answer"',
    "human": "request {request} is for a person alone: end your turn and wait for them",
}

__all__ = ["Binding", "HostLacks", "Reply", "Turn", "Who"]
