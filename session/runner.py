"""Drives one run on the right of its session's attachment.

`advance` works until the run needs something from outside: an answer, a time, a person. Every
change is one write; a step's end and the next one's start are the same one. A runner belongs to
one thread at a time.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from . import limits, recovery
from .canonical import clean, compact, digest, digest_text
from .engine.budget import Budget
from .engine.child import WorkerDied, WorkerTimedOut
from .engine.memory import Memory, recall
from .engine.progress import Throttle
from .engine.route import Go, Onward, Stop, needs_output, onward
from .engine.state import (
    RUN,
    TERMINAL,
    RequestEvent,
    RunEvent,
    RunState,
    StepEvent,
    StepState,
    move_request,
    move_run,
    move_step,
)
from .errors import Conflict, Fenced, LoadFailed, Moved, NotFound, SegueError
from .process import ProcessIdentity
from .standing import Receipt, Standing
from .store import attachments, definitions, requests, runs, steps
from .store.values import text_of
from .workflow.parse import unsendable
from .workflow.snapshot import OUTCOME_PATH

if TYPE_CHECKING:
    from collections.abc import Callable

    from .clock import Clock
    from .evaluator import Evaluator
    from .ids import Ids
    from .messages import Voice
    from .store.records import Attempt, Authority, Request, Run
    from .store.store import Store
    from .store.tx import Tx
    from .workflow.snapshot import Definition, NodeDef

Fake = "Callable[[NodeDef, Attempt], dict[str, Any] | None]"

_KINDS: Final = {"agent": "output", "assistant": "reply", "checkpoint": "checkpoint"}
_ANSWERABLE: Final = ("checkpoint", "human", "missing_submission", "turn_failed")
"""Reasons of a wait in which the open request can still be answered."""
_ENDINGS: Final = {
    StepEvent.FINISH: StepState.OK,
    StepEvent.FAIL: StepState.FAILED,
    StepEvent.TIME_OUT: StepState.TIMED_OUT,
    StepEvent.CANCEL: StepState.CANCELLED,
}
_EFFECTS: Final = {StepEvent.FINISH: "applied", StepEvent.FAIL: "failed"}
"""What is known of an effect by how its step ended; killed half-way, nothing is."""


class _Parked(Exception):
    pass


class _CancelAsked(Exception):
    pass


class Runner:
    """The one driver of a run.

    Args:
        store: The project's database.
        clock: Time.
        ids: Gives request ids.
        authority: The attachment on whose right it drives.
        run: The run.
        evaluator: Its worker.
        fake: In a rehearsal: the stand-in for an action's or a command's effect.
        on_progress: Told of each kept progress report.
        on_step: Told of each step that has ended: the try, its output, its effect's receipt.
        breathe: Called ten times a second while a worker works, between two looks.
        voice: Makes what says the run's messages, inside its writes; a rehearsal has none.
    """

    def __init__(
        self,
        store: Store,
        clock: Clock,
        ids: Ids,
        authority: Authority,
        run: Run,
        evaluator: Evaluator,
        *,
        fake: Callable[[NodeDef, Attempt], dict[str, Any] | None] | None = None,
        on_progress: Callable[[Attempt, dict[str, Any]], None] | None = None,
        on_step: Callable[[Attempt, Any, Any], None] | None = None,
        voice: Callable[[Definition], Voice] | None = None,
        breathe: Callable[[], None] | None = None,
    ) -> None:
        self.store = store
        self.clock = clock
        self.ids = ids
        self.authority = authority
        self.run = run
        self.evaluator = evaluator
        self._fake = fake
        self._on_progress = on_progress
        self._on_step = on_step
        self._breathe = breathe
        self._actor = f"runner@{authority.key}"
        with store.read() as db:
            self.definition = definitions.get(db, run.definition)
            mounts = frozenset(p for p, n in self.definition.nodes.items() if n.kind == "mount")
            self.memory: Memory = recall(steps.visits(db, run.pk), mounts)
            self.attempt = steps.get(db, run.pk, run.step)
            self.request = requests.open_of(db, run.pk)
        self._voice = None if voice is None else voice(self.definition)
        self._asked: str | None = None
        """The text of the open request, where this runner has opened it."""
        self.budget: Budget | None = None
        self._throttle = Throttle(limits.UPDATES_PER_SECOND, limits.UPDATE_BURST)
        self._data_version = -1

    # --- driving

    def advance(self) -> Standing:
        """Drive until the run needs something from outside.

        Raises:
            Fenced: A newer attachment took over; the worker is killed, nothing more is written.
        """
        try:
            # What others store meanwhile makes the next write meet a conflict, and is read then.
            self.look()
            while True:
                self._heed_cancel()
                self._heed_pause()
                try:
                    standing = self._standing()
                    if standing is not None:
                        return standing
                    self._step()
                except _Parked:
                    continue
        except _CancelAsked:
            return self._carry_out_cancel()
        except Fenced:
            self.close()
            raise

    def _carry_out_cancel(self) -> Standing:
        asker = self.run.asked_by or "a person"
        return self.cancel(f"cancelled by {asker}", by_model=asker.startswith("model"))

    def _step(self) -> None:
        if self.attempt is None:
            self._enter_first()
            return
        node = self.definition.node(self.attempt.node)
        _HANDLERS[node.kind](self, node, self.attempt)

    def _standing(self) -> Standing | None:
        """Say what the run waits for, or None when there is something to do."""
        run, attempt = self.run, self.attempt
        if run.state in TERMINAL:
            self.close()
            return Standing("ended", run, attempt)
        if attempt is not None and attempt.state == StepState.SLEEPING and run.reason == "wait":
            assert attempt.wake_at is not None
            if self.clock.now() >= attempt.wake_at:
                self._finish(StepEvent.FINISH, output="null", told=("set", attempt.node, None))
                return self._standing()
            return Standing("sleeping", run, attempt, until=attempt.wake_at)
        if self.request is not None and self._hears():
            return self._asking(self.request)
        if run.state == RunState.RUNNING:
            return None
        return Standing("parked", run, attempt)

    def _hears(self) -> bool:
        """Whether an answer goes on with the run; else a person has to resume it first (T11)."""
        run = self.run
        return run.state == RunState.RUNNING or (
            run.state == RunState.WAITING and run.reason in ("checkpoint", "human")
        )

    def _asking(self, request: Request) -> Standing | None:
        assert self.attempt is not None
        node = self.definition.node(self.attempt.node)
        if self.budget is None and node.kind != "checkpoint":
            used = self.attempt.active_ms / 1000
            self.budget = Budget(self.clock, self._limit(node, self.attempt), used)
        if self.budget is not None and self.budget.exceeded():
            self._finish(StepEvent.TIME_OUT, reason=f"took more than {self.budget.limit:g} s")
            return self._standing()
        if request.deadline is not None and self.clock.now() >= request.deadline:
            if node.on_timeout is not None:
                self._time_out_person(node.on_timeout)
                return self._standing()
        return Standing(
            "asking", self.run, self.attempt, request, self._text(request), request.deadline
        )

    def _text(self, request: Request) -> str:
        if self._asked is not None:
            return self._asked
        with self.store.read() as db:
            return text_of(db, request.text)

    def look(self) -> None:
        """Notice what other processes have stored: a pause, a cancel, a new attachment.

        Raises:
            Fenced: The session, or the run, has another owner now.
        """
        version = self.store.data_version()
        if version == self._data_version:
            return
        self._data_version = version
        with self.store.read() as db:
            attachments.verify(db, self.authority)
            self.run = runs.by_pk(db, self.run.pk)
        if self.run.session != self.authority.session:
            raise Moved(f"run {self.run.id} was rebound to session {self.run.origin}")

    def _heed_cancel(self) -> None:
        # Not only on a change: a write that met a conflict has read it in, too.
        if self.run.asked == "cancel" and self.run.state not in TERMINAL:
            raise _CancelAsked

    def _heed_pause(self) -> None:
        """Carry out a stored pause, between steps: the one under way is finished first."""
        if self.run.asked == "pause" and RunEvent.PAUSE in RUN[RunState(self.run.state)]:
            self.pause()

    def _tick(self) -> None:
        """While a worker works: a stored cancel ends it in the middle of its step (D9)."""
        self.look()
        self._heed_cancel()
        if self._breathe is not None:
            self._breathe()

    # --- one write

    def write(self, body: Callable[[Tx], None]) -> None:
        """Write once; if somebody else only asked for something meanwhile, decide again."""
        for _ in range(20):
            before = self.run
            try:
                with self.store.write(self._actor, self.run, self.authority) as tx:
                    body(tx)
                assert tx.run is not None
                self.run = tx.run
                return
            except Conflict:
                with self.store.read() as db:
                    self.run = runs.by_pk(db, self.run.pk)
                if (self.run.step, self.run.state) != (before.step, before.state):
                    raise
        raise Conflict(f"run {self.run.id} is being changed by others all the time; try again")

    def _enter_first(self) -> None:
        path = self.definition.start

        def body(tx: Tx) -> None:
            self._begin(tx, path)
            tx.event("step", {"started": self._next_json()})

        self.write(body)
        self.attempt = self._next
        self.memory.enter(path)

    def _begin(self, tx: Tx, path: str) -> None:
        """Enter a node, inside a write. Memory is only touched by `_began`, after the commit."""
        self._next = steps.begin(
            tx, self.run.pk, self.run.step + 1, path, self.memory.visits.get(path, 0) + 1, 1
        )
        counted = 0 if self.definition.node(path).kind == "mount" else 1
        tx.change(
            state=move_run(self.run.state, RunEvent.STEP),
            reason=None,
            detail=None,
            step=self._next.step,
            steps=self.run.steps + counted,
        )

    _next: Attempt

    def _next_json(self) -> dict[str, Any]:
        n = self._next
        return {"step": n.step, "node": n.node, "visit": n.visit, "attempt": n.attempt}

    def _finish(
        self,
        event: StepEvent,
        *,
        output: str | None = None,
        reason: str | None = None,
        receipt: Any = None,
        answer: tuple[Request, bytes, Receipt] | None = None,
        told: tuple[Any, ...] | None = None,
        trace: str = "",
        note: str = "",
    ) -> None:
        """End the current step and start what follows, in one write."""
        attempt = self.attempt
        assert attempt is not None
        outcome = _ENDINGS[event]
        state = move_step(attempt.state, event)
        path = attempt.node
        node = self.definition.node(path)
        reason = None if reason is None else reason[: limits.REASON_CHARS]
        to = self._onward(node, outcome, output, reason)
        used = self.budget.stop() if self.budget is not None else attempt.active_ms / 1000

        def body(tx: Tx) -> None:
            steps.end(tx, attempt, state, output, reason, int(used * 1000))
            if node.effect:
                steps.end_effect(tx, attempt, _EFFECTS.get(event, "ambiguous"), receipt or {})
            if answer is not None:
                request, key, told_back = answer
                move_request(request.state, RequestEvent.ANSWER)
                requests.answered(tx, request, key, told_back.to_json())
            elif self.request is not None:
                requests.cancel_open(tx, self.run.pk)
            ended: dict[str, Any] = {
                "step": attempt.step,
                "node": path,
                "visit": attempt.visit,
                "attempt": attempt.attempt,
                "outcome": str(outcome),
            }
            if reason:
                ended["reason"] = reason
            if trace:
                ended["trace"] = trace
            data: dict[str, Any] = {"ended": ended}
            self._say(tx, attempt, to, note)
            if isinstance(to, Go):
                self._begin(tx, to.path)
                tx.change(worker_deaths=0)
                data["started"] = self._next_json()
            else:
                self._end_run(tx, to, output)
                data["run"] = str(to.event)
            tx.event("step", data)

        self.write(body)
        self._ended(attempt, outcome)
        self._tell(attempt, outcome, told)
        if isinstance(to, Go):
            self.attempt = self._next
            self.memory.enter(to.path)
        else:
            self.attempt = None
        if self._on_step is not None:
            ended = replace(attempt, state=state, reason=reason, ended_at=self.run.updated_at)
            self._on_step(ended, None if output is None else json.loads(output), receipt)

    def _say(self, tx: Tx, attempt: Attempt, to: Onward, note: str) -> None:
        if self._voice is None:
            return
        self._voice.closed(tx, self.run, attempt)
        if note:
            self._voice.noted(tx, self.run, attempt, note)
        if isinstance(to, Stop):
            self._voice.ended(tx, self.run, to, attempt.node)

    def _onward(
        self, node: NodeDef, outcome: StepState, output: str | None, reason: str | None
    ) -> Onward:
        value = json.loads(output) if output is not None and needs_output(node.edge) else None
        to = onward(self.definition, node.path, outcome, value, reason)
        most = self.definition.max_steps
        if (
            isinstance(to, Go)
            and self.run.steps >= most
            and (self.definition.node(to.path).kind != "mount")
        ):
            return Stop(RunEvent.FAIL, f"max_steps: {most} steps are done and '{to.path}' was next")
        return to

    def _end_run(self, tx: Tx, stop: Stop, output: str | None) -> None:
        tx.change(
            state=move_run(self.run.state, stop.event),
            reason=stop.reason,
            detail=None,
            exit=stop.exit,
            asked=None,
            asked_by=None,
            ended_at=tx.now,
        )
        if stop.event is RunEvent.COMPLETE and output is not None:
            tx.change(output=tx.value(output))

    def _tell(self, attempt: Attempt, outcome: StepState, told: tuple[Any, ...] | None) -> None:
        """Let the worker know how a step ended; one that dies learns it from the store."""
        path = attempt.node
        if outcome is not StepState.OK:
            self.evaluator.tell("drop", path)
            return
        if self.definition.node(path).kind == "mount":
            self.evaluator.tell("enter", path)
        self.evaluator.tell(*(told or ("keep", path)))

    def _message(self, do: str, path: str, fresh: int, visit: int) -> dict[str, Any]:
        key = f"{self.run.id}:{effect_key(path, visit)}"
        return {"do": do, "path": path, "visit": fresh, "key": key}

    def _ended(self, attempt: Attempt, outcome: StepState) -> None:
        """Bring memory up to date after the commit."""
        path, ok = attempt.node, outcome is StepState.OK
        self.memory.ended(path, attempt.step, ok=ok)
        if ok and self.definition.node(path).kind == "mount":
            self.memory.entered_mount(path)
        self.request = None
        self._asked = None
        self.budget = None

    def park(self, reason: str, detail: str, **changes: Any) -> None:
        """Leave the run waiting with a stored reason (D8); it holds no worker then."""

        def body(tx: Tx) -> None:
            tx.change(
                state=move_run(self.run.state, RunEvent.PARK),
                reason=reason,
                detail=detail[: limits.REASON_CHARS],
                **changes,
            )
            if self._voice is not None:
                self._voice.parked(tx, self.run, reason, detail)
            tx.event("parked", {"reason": reason, "detail": detail[: limits.REASON_CHARS]})

        self.write(body)
        self.evaluator.kill()

    # --- calling the worker

    def _call(self, node: NodeDef, attempt: Attempt, do: str, **more: Any) -> dict[str, Any]:
        """Make one call for a step; what the worker's death means is decided here (D6)."""
        fresh = self.memory.fresh.get(node.path, 1)
        message = {**self._message(do, node.path, fresh, attempt.visit), **more}
        while True:
            self.evaluator_ready()  # loading is not on the step's own time
            budget = self._budget_for(node, attempt, do)
            try:
                return self.evaluator.ask(
                    self.run,
                    self.memory,
                    message,
                    budget,
                    on_progress=self.progress,
                    on_tick=self._tick,
                )
            except WorkerTimedOut as error:
                return {"timed_out": str(error)}
            except WorkerDied as error:
                self._died(error)
                if node.effect and do in ("compute", "shell"):
                    recovery.recover(self, node, attempt)
                    raise _Parked from error

    def _budget_for(self, node: NodeDef, attempt: Attempt, do: str) -> Budget:
        if do not in ("compute", "shell", "fake"):
            return Budget(self.clock, limits.CALLBACK_SECONDS)
        limit = self._limit(node, attempt)
        return Budget(self.clock, limit, attempt.active_ms / 1000)

    def _limit(self, node: NodeDef, attempt: Attempt) -> float | None:
        if node.timeout != "call":
            return node.timeout
        reply = self._call(node, attempt, "timeout")
        if "ok" not in reply:
            self._failed(reply)
            raise _Parked
        seconds: float | None = reply["ok"]
        return seconds

    def _died(self, error: WorkerDied) -> None:
        deaths = self.run.worker_deaths + 1
        self.evaluator.kill()
        if deaths >= limits.WORKER_DEATHS:
            self.park("no_progress", str(error), worker_deaths=deaths)
            raise _Parked from error

        def body(tx: Tx) -> None:
            tx.change(worker_deaths=deaths)
            tx.event("worker_died", {"detail": str(error)[: limits.REASON_CHARS]})

        self.write(body)

    def progress(self, data: dict[str, Any]) -> bool:
        """Keep how far the current step is; False where there were too many reports (S4)."""
        attempt = self.attempt
        assert attempt is not None
        text = compact(data)
        if len(text) > limits.UPDATE_CHARS or not self._throttle.let(self.clock.monotonic()):
            return False

        def body(tx: Tx) -> None:
            steps.update(tx, attempt.run, attempt.step, "progress", text)
            tx.event("progress", {"step": attempt.step})

        self.write(body)
        if self._on_progress is not None:
            self._on_progress(attempt, data)
        return True

    def _failed(self, reply: dict[str, Any]) -> None:
        """End the step as the worker's reply says that it went wrong."""
        receipt = reply.get("receipt")
        if "timed_out" in reply:
            self._finish(StepEvent.TIME_OUT, reason=reply["timed_out"], receipt=receipt)
            return
        problems = "; ".join(
            f"{p['path']}: expected {p['expected']}; received {p['received']}"
            for p in reply.get("rejected", ())
        )
        reason = reply.get("failed") or reply.get("message") or problems or "no result"
        if "too_long" in reply:
            most = limits.PROMPT_CHARS
            reason = f"the text has {reply['too_long']:,} characters, at most {most:,} are said"
        self._finish(StepEvent.FAIL, reason=reason, receipt=receipt, trace=reply.get("trace", ""))

    # --- kinds of node

    def _compute(self, node: NodeDef, attempt: Attempt) -> None:
        reply = self._call(node, attempt, "compute")
        if "ok" in reply:
            self._finish(StepEvent.FINISH, output=reply["ok"])
        else:
            self._failed(reply)

    def _notify(self, node: NodeDef, attempt: Attempt) -> None:
        reply = self._call(node, attempt, "prompt")
        if "ok" in reply:
            text = reply["ok"]
            self._finish(
                StepEvent.FINISH, output=compact(text), told=("set", node.path, text), note=text
            )
        else:
            self._failed(reply)

    def _wait(self, node: NodeDef, attempt: Attempt) -> None:
        reply = self._call(node, attempt, "wait")
        if "ok" not in reply:
            self._failed(reply)
            return
        asked = reply["ok"]
        wake_at = asked.get("until")
        if wake_at is None:
            wake_at = attempt.started_at + int(asked["seconds"] * 1000)
        state = move_step(attempt.state, StepEvent.SLEEP)

        def body(tx: Tx) -> None:
            steps.move(tx, attempt, state, wake_at)
            tx.change(state=move_run(self.run.state, RunEvent.PARK), reason="wait")
            tx.event("sleeping", {"step": attempt.step, "until": wake_at})

        self.write(body)
        self.reread()

    def _ask(self, node: NodeDef, attempt: Attempt) -> None:
        reply = self._call(node, attempt, "prompt")
        if "too_long" in reply:
            self.park(
                "prompt_too_long",
                f"the prompt of '{node.path}' has {reply['too_long']:,} characters, at most"
                f" {limits.PROMPT_CHARS:,} are said: shorten it with ctx.excerpt",
            )
            raise _Parked
        if "ok" not in reply:
            self._failed(reply)
            return
        text: str = reply["ok"]
        limit = self._limit(node, attempt)
        kind = "human" if node.human else _KINDS[node.kind]
        person = node.kind == "checkpoint"
        deadline = self.clock.now() + int(limit * 1000) if person and limit is not None else None
        state = move_step(attempt.state, StepEvent.ASK)

        def body(tx: Tx) -> None:
            request_id = self.ids.new("req")
            self.request = requests.open_(tx, attempt, request_id, kind, text, deadline)
            steps.move(tx, attempt, state)
            if self._voice is not None:
                self._voice.asked(tx, self.run, node, attempt, self.request, text)
            if person:
                tx.change(state=move_run(self.run.state, RunEvent.PARK), reason=kind)
            tx.event("asked", {"step": attempt.step, "request": request_id, "kind": kind})

        self.write(body)
        self.attempt = attempt.moved(state)
        self._asked = text

    def _act(self, node: NodeDef, attempt: Attempt) -> None:
        self.look()  # nothing is set going that somebody has cancelled already
        self._heed_cancel()
        with self.store.read() as db:
            begun = steps.effect(db, attempt.run, attempt.step)
        if begun is not None:
            recovery.recover(self, node, attempt)
            return
        fake = None if self._fake is None else self._fake(node, attempt)
        self.evaluator_ready()
        process = "{}" if fake is not None else process_json(self.evaluator.identity())

        def body(tx: Tx) -> None:
            steps.begin_effect(
                tx, attempt, effect_key(attempt.node, attempt.visit), node.effect, process
            )
            tx.event("effect", {"step": attempt.step, "recovery": node.effect})

        self.write(body)
        do = "shell" if node.kind == "shell" else "compute"
        if fake is not None and node.kind == "action":
            do = "fake"
        reply = self._call(node, attempt, do, **(fake or {}))
        if "ok" in reply:
            self._finish(StepEvent.FINISH, output=reply["ok"], receipt=reply.get("receipt"))
        else:
            self._failed(reply)

    def evaluator_ready(self) -> None:
        """Have a worker before its identity is written down."""
        try:
            self.evaluator.ready(self.run, self.memory)
        except LoadFailed as error:
            self.park("cannot_load", str(error))
            raise _Parked from error
        except WorkerTimedOut as error:
            self.park("cannot_load", f"loading the workflow {error}")
            raise _Parked from error
        except WorkerDied as error:
            self._died(error)
            self.evaluator_ready()

    def reread(self) -> None:
        with self.store.read() as db:
            self.attempt = steps.get(db, self.run.pk, self.run.step)

    # --- answers

    def submit(self, request_id: str, raw: Any) -> Receipt:
        """Take an answer to the open request.

        Raises:
            NotFound: No request of this run has that id.
            Conflict: It was answered with something else, or is closed.
        """
        request = self._requested(request_id)
        problem = unsendable(raw)
        key = digest(raw) if problem is None else digest_text(problem)
        if request.state != "open":
            return self._closed(request, key)
        self._check_answerable()
        self._settle_budget()
        if problem is not None:
            listed = {"path": "(whole)", "expected": "one JSON value", "received": problem}
            return self._reject(request, key, problem, [listed])
        try:
            return self._check(request, key, raw)
        except _Parked as error:
            raise Conflict(f"run {self.run.id} waits: {self.run.detail}") from error
        except _CancelAsked as error:
            self._carry_out_cancel()
            raise Conflict(f"run {self.run.id} has been cancelled") from error
        except Fenced:
            self.close()
            raise

    def _requested(self, request_id: str) -> Request:
        if self.request is not None and self.request.id == request_id:
            return self.request  # whoever closes it also changes the run: our write would tell
        with self.store.read() as db:
            request = requests.get(db, request_id)
        if request is None or request.run != self.run.pk:
            raise NotFound(self._no_request(request_id))
        return request

    def _check(self, request: Request, key: bytes, raw: Any) -> Receipt:
        assert self.attempt is not None
        node = self.definition.node(self.attempt.node)
        as_text = node.kind == "assistant"
        reply = self._call(node, self.attempt, "validate", raw=raw, text=as_text)
        if "ok" in reply:
            note = "Accepted. End your turn now: the next step comes as the next message."
            receipt = Receipt(True, request.id, note, reply.get("normalized", False))
            self._finish(StepEvent.FINISH, output=reply["ok"], answer=(request, key, receipt))
            return receipt
        if "rejected" in reply:
            return self._reject(request, key, raw, reply["rejected"])
        self._failed(reply)
        raise SegueError(f"the answer could not be checked: {reply.get('failed') or reply}")

    def _check_answerable(self) -> None:
        """A run that waits for a person to resume it takes no answer before they do.

        Raises:
            Conflict: With the state it is in.
        """
        run = self.run
        if run.state == RunState.RUNNING:
            return
        if run.state == RunState.WAITING and run.reason in _ANSWERABLE:
            return
        why = f" ({run.reason})" if run.reason else ""
        raise Conflict(f"run {run.id} is {run.state}{why}: a person has to resume it first")

    def _settle_budget(self) -> None:
        if self.budget is not None and self.budget.exceeded():
            self._finish(StepEvent.TIME_OUT, reason=f"took more than {self.budget.limit:g} s")
            raise Conflict("the step's time was over before the answer came")

    def _no_request(self, request_id: str) -> str:
        open_ = "none is open" if self.request is None else f"open is {self.request.id}"
        return f"no request {request_id!r} in run {self.run.id} ({open_})"

    def _closed(self, request: Request, key: bytes) -> Receipt:
        if request.state == "answered" and request.answer == key:
            saved = request.receipt_json()
            return Receipt(
                saved["accepted"],
                request.id,
                saved["message"],
                saved["normalized"],
                tuple(saved["problems"]),
            )
        raise Conflict(f"request {request.id} is {request.state} already; {self._no_request('')}")

    def _reject(
        self, request: Request, key: bytes, raw: Any, problems: list[dict[str, str]]
    ) -> Receipt:
        move_request(request.state, RequestEvent.REJECT)
        with self.store.read() as db:
            again = requests.seen_before(db, request, key)
        text = clean(raw if isinstance(raw, str) else compact(raw))

        def body(tx: Tx) -> None:
            number = requests.reject(tx, request, key, text, problems)
            tx.event("rejected", {"request": request.id, "number": number})

        self.write(body)
        with self.store.read() as db:
            self.request = requests.get(db, request.id)
        lines = [
            f"- {p['path']}: expected {p['expected']}; received {p['received']}" for p in problems
        ]
        message = "Not accepted; the request stays open.\n" + "\n".join(lines)
        if again:
            message += "\nThis is the same answer as before: change what is named above."
        return Receipt(False, request.id, message, problems=tuple(problems))

    def take_given(self) -> None:
        """Carry out an answer that a person gave elsewhere or in a dialog (H2)."""
        if self.request is None:
            return
        with self.store.read() as db:
            given = requests.given(db, self.request)
        if given is None or not self._hears():
            return
        if self.request.kind == "human":
            self._decided(given, f"'{given['choice']}' was taken.")
            return
        receipt = self.submit(self.request.id, given["output"])
        if not receipt.accepted:
            request = self.request

            def body(tx: Tx) -> None:
                requests.forget_given(tx, request)
                tx.event("given_rejected", {"request": request.id})

            self.write(body)

    def _time_out_person(self, choice: str) -> None:
        answer = {"choice": choice, "text": None, "provenance": "timeout"}
        self._decided(answer, f"No answer in time: '{choice}' was taken.")

    def _decided(self, answer: dict[str, Any], said: str) -> None:
        assert self.request is not None
        assert self.attempt is not None
        self._finish(
            StepEvent.FINISH,
            output=compact(answer),
            answer=(self.request, digest(answer), Receipt(True, self.request.id, said)),
            told=("set", self.attempt.node, answer),
        )

    # --- stopping

    def pause(self) -> Standing:
        """Hold the run after the step under way; nothing is lost and nothing runs on."""

        def body(tx: Tx) -> None:
            tx.change(
                state=move_run(self.run.state, RunEvent.PAUSE),
                reason="paused",
                asked=None,
                asked_by=None,
            )
            tx.event("paused")

        self.write(body)
        self.evaluator.kill()
        return Standing("parked", self.run, self.attempt)

    def cancel(self, reason: str = "cancelled", *, by_model: bool = False) -> Standing:
        """End the run: kill what it runs, record it, withdraw what it asked (D9).

        A person's cancel makes no turn (T4); the model's own is followed by a fallback (T10).
        """
        self.evaluator.kill()
        attempt = self.attempt
        if attempt is not None:
            recovery.end_group(self.store, attempt)

        def body(tx: Tx) -> None:
            if attempt is not None:
                state = move_step(attempt.state, StepEvent.CANCEL)
                steps.end(tx, attempt, state, None, reason, attempt.active_ms)
                steps.end_effect(tx, attempt, "ambiguous", {"killed": True})
            requests.cancel_open(tx, self.run.pk)
            if self._voice is not None:
                if attempt is not None:
                    self._voice.closed(tx, self.run, attempt)
                if by_model:
                    path = "" if attempt is None else attempt.node
                    self._voice.fallback(tx, self.run, "agent_cancelled", reason, path)
            tx.change(
                state=move_run(self.run.state, RunEvent.CANCEL),
                reason=reason,
                detail=None,
                asked=None,
                asked_by=None,
                ended_at=tx.now,
            )
            tx.event("cancelled", {"reason": reason})

        self.write(body)
        self.request = None
        self.attempt = None
        return Standing("ended", self.run)

    def carry_out_asked(self) -> None:
        """Pause or cancel as was stored, without driving on: for an asker whose owner is gone."""
        if self.run.asked == "cancel":
            self._carry_out_cancel()
        else:
            self._heed_pause()

    def claim(self) -> None:
        """Take up a run that was queued for this session."""

        def body(tx: Tx) -> None:
            tx.change(state=move_run(self.run.state, RunEvent.CLAIM))
            tx.event("claimed", {"workflow": self.run.workflow})

        self.write(body)

    def resume(self, asker: str = "a person", say: Callable[[Tx], None] | None = None) -> None:
        """Let a parked or paused run go on where it stands; a running one just hears of it.

        Args:
            asker: Who wants it.
            say: Adds, in the same write, what is to be said because of it.

        Raises:
            Conflict: It is ambiguous: a person has to `settle` it.
        """
        if self.run.state in TERMINAL:
            return
        if self.run.state == RunState.AMBIGUOUS:
            raise Conflict(f"run {self.run.id} is ambiguous: {self.run.detail}")
        attempt = self.attempt
        asleep = attempt is not None and attempt.state == StepState.SLEEPING
        person = self.request is not None and self.request.kind in ("checkpoint", "human")

        def body(tx: Tx) -> None:
            if self.run.state == RunState.RUNNING:
                pass
            elif asleep or person:
                reason = "wait" if asleep else self.request.kind if self.request else None
                tx.change(state=move_run(self.run.state, RunEvent.PARK), reason=reason)
            else:
                tx.change(state=move_run(self.run.state, RunEvent.RESUME), reason=None)
            tx.change(detail=None, worker_deaths=0, asked=None, asked_by=None)
            if say is not None:
                say(tx)
            tx.event("resumed", {"by": asker})

        self.write(body)

    def rest(self) -> None:
        """The model's turn is over: its time stands still until the next one starts."""
        budget, attempt = self.budget, self.attempt
        if budget is None or attempt is None:
            return
        used = int(budget.stop() * 1000)
        if used == attempt.active_ms:
            return

        def body(tx: Tx) -> None:
            steps.used(tx, attempt, used)
            tx.event("turn_ended", {"step": attempt.step, "active_ms": used})

        self.write(body)
        self.attempt = replace(attempt, active_ms=used)

    def start_clock(self) -> None:
        """The model's turn for the open step has begun: its own time runs."""
        if self.request is None or self.attempt is None:
            return
        node = self.definition.node(self.attempt.node)
        if self.budget is None and node.kind != "checkpoint":
            used = self.attempt.active_ms / 1000
            self.budget = Budget(self.clock, self._limit(node, self.attempt), used)
        if self.budget is not None:
            self.budget.start()

    def time_is_due(self) -> bool:
        """Whether a wait, a person's deadline or a step's own time has run out."""
        attempt, request, now = self.attempt, self.request, self.clock.now()
        if self.run.state not in (RunState.RUNNING, RunState.WAITING):
            return False
        if attempt is not None and attempt.wake_at is not None and self.run.reason == "wait":
            return now >= attempt.wake_at
        if request is not None and request.deadline is not None and now >= request.deadline:
            return self.definition.node(attempt.node).on_timeout is not None if attempt else False
        return self.budget is not None and self.budget.exceeded()

    def routes_failure(self) -> bool:
        """Whether the author says what follows when the current step fails."""
        assert self.attempt is not None
        edge = self.definition.node(self.attempt.node).edge
        return edge.failure is not None or edge.on == OUTCOME_PATH

    def fail(self, reason: str) -> None:
        """End the current step as failed: whoever routes failures decides what follows."""
        self._finish(StepEvent.FAIL, reason=reason)

    @property
    def prompt(self) -> str:
        """The author's prompt of the open request."""
        return "" if self.request is None else self._text(self.request)

    @property
    def voice(self) -> Voice:
        assert self._voice is not None
        return self._voice

    def settle(self, how: str, output: Any = None) -> None:
        """Say what became of an effect that a crash left unknown.

        Args:
            how: `done` (it happened; `output` is the step's output), `again` (it did not: run
                it), or `failed` (the step failed).
            output: The step's output as JSON.

        Raises:
            Conflict: The run is not ambiguous.
            SegueError: The output does not fit the step.
        """
        if self.run.state != RunState.AMBIGUOUS or self.attempt is None:
            raise Conflict(f"run {self.run.id} is {self.run.state}: no effect of it is unknown")
        node = self.definition.node(self.attempt.node)
        if how == "again":
            recovery.retry(self, node, self.attempt, "a person said: again")
        elif how == "failed":
            self._finish(StepEvent.FAIL, reason="a person said that the effect failed")
        else:
            try:
                reply = self._call(node, self.attempt, "fake", value=output)
            except _Parked as error:
                raise SegueError(f"run {self.run.id} waits: {self.run.detail}") from error
            if "ok" not in reply:
                raise SegueError(f"--output does not fit: {reply.get('rejected') or reply}")
            self._finish(StepEvent.FINISH, output=reply["ok"], receipt={"provenance": "human"})

    def close(self) -> None:
        """Let go of the worker; the run stands as it is stored."""
        self.evaluator.kill()


def effect_key(path: str, visit: int) -> str:
    """An effect's key within its run: the full mount path and the visit."""
    return f"{path}#{visit}"


def process_json(identity: ProcessIdentity | None) -> str:
    """A process identity as an effect's row keeps it."""
    if identity is None:
        return "{}"
    return compact(
        {
            "boot_id": identity.boot_id,
            "pid_ns": identity.pid_ns,
            "pid": identity.pid,
            "start": identity.start,
        }
    )


_HANDLERS: Final[dict[str, Callable[[Runner, NodeDef, Attempt], None]]] = {
    "agent": Runner._ask,
    "assistant": Runner._ask,
    "checkpoint": Runner._ask,
    "compute": Runner._compute,
    "mount": Runner._compute,
    "notify": Runner._notify,
    "wait": Runner._wait,
    "action": Runner._act,
    "shell": Runner._act,
}
