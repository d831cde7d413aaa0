"""Drives one run on the right of its session's attachment.

`advance` works until the run needs something from outside: an answer, a time, a person. Every
change is one write; a step's end and the next one's start are the same one. A runner belongs to
one thread at a time.

What a runner does lies beside it, one noun a module: `kinds` of node, `calling` the worker,
`moves` from a step to the next, `answering`, `stopping`, `waiting`. Users see the runner alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import answering, calling, kinds, limits, moves, stopping, waiting
from .engine.budget import Budget
from .engine.memory import Memory, recall
from .engine.progress import Throttle
from .engine.state import RUN, TERMINAL, RunEvent, RunState, StepEvent
from .errors import Conflict, Fenced, Moved
from .standing import CancelAsked, Parked, Receipt, Standing
from .store import attachments, definitions, requests, runs, steps, values
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
        self.fake = fake
        self.on_progress = on_progress
        self.on_step = on_step
        self._breathe = breathe
        self._actor = f"runner@{authority.key}"
        with store.read() as db:
            self.definition = definitions.get(db, run.definition)
            mounts = frozenset(p for p, n in self.definition.nodes.items() if n.kind == "mount")
            self.memory: Memory = recall(steps.visits(db, run.pk), mounts)
            self.attempt = steps.get(db, run.pk, run.step)
            self.request = requests.open_of(db, run.pk)
        self.says = None if voice is None else voice(self.definition)
        self.entered: Attempt
        """The try that the write under way has begun."""
        self.asked_text: str | None = None
        """The text of the open request, where this runner has opened it."""
        self.budget: Budget | None = None
        self.throttle = Throttle(limits.UPDATES_PER_SECOND, limits.UPDATE_BURST)
        self._data_version = -1
        self.noticed = True
        """Others may have stored something that has not been looked for."""

    def advance(self) -> Standing:
        """Drive until the run needs something from outside.

        Raises:
            Fenced: A newer attachment took over; the worker is killed, nothing more is written.
        """
        try:
            # What others store meanwhile makes the next write meet a conflict, and is read then.
            self.look()
            while True:
                self.heed_cancel()
                self.heed_pause()
                try:
                    standing = waiting.standing(self)
                    if standing is not None:
                        return standing
                    self._step()
                except Parked:
                    continue
        except CancelAsked:
            return stopping.carry_out_cancel(self)
        except Fenced:
            self.close()
            raise

    def _step(self) -> None:
        if self.attempt is None:
            moves.enter_first(self)
            return
        node = self.definition.node(self.attempt.node)
        kinds.HANDLERS[node.kind](self, node, self.attempt)

    def hears(self) -> bool:
        """Whether an answer goes on with the run; else a person has to resume it first (T11)."""
        run = self.run
        return run.state == RunState.RUNNING or (
            run.state == RunState.WAITING and run.reason in ("checkpoint", "human")
        )

    def text_of(self, request: Request) -> str:
        if self.asked_text is not None:
            return self.asked_text
        with self.store.read() as db:
            return values.text_of(db, request.text)

    def look(self) -> None:
        """Notice what other processes have stored: a pause, a cancel, a new attachment.

        Raises:
            Fenced: The session, or the run, has another owner now.
        """
        version = self.store.data_version()
        if version == self._data_version:
            return
        self._data_version = version
        self.noticed = True
        with self.store.read() as db:
            attachments.verify(db, self.authority)
            self.run = runs.by_pk(db, self.run.pk)
        if self.run.session != self.authority.session:
            raise Moved(f"run {self.run.id} was rebound to session {self.run.origin}")

    def heed_cancel(self) -> None:
        # Not only on a change: a write that met a conflict has read it in, too.
        if self.run.asked == "cancel" and self.run.state not in TERMINAL:
            raise CancelAsked

    def heed_pause(self) -> None:
        """Carry out a stored pause, between steps: the one under way is finished first."""
        if self.run.asked == "pause" and RunEvent.PAUSE in RUN[RunState(self.run.state)]:
            stopping.pause(self)

    def tick(self) -> None:
        """While a worker works: a stored cancel ends it in the middle of its step (D9)."""
        self.look()
        self.heed_cancel()
        if self._breathe is not None:
            self._breathe()

    def write(self, body: Callable[[Tx], None], *, lasting: bool = True) -> None:
        """Write once; if somebody else only asked for something meanwhile, decide again.

        `lasting` as for `Store.write`.
        """
        for _ in range(20):
            before = self.run
            try:
                with self.store.write(self._actor, self.run, self.authority, lasting=lasting) as tx:
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

    def park(self, reason: str, detail: str, **changes: Any) -> None:
        """Leave the run waiting with a stored reason (D8); it holds no worker then."""
        stopping.park(self, reason, detail, **changes)

    def progress(self, data: dict[str, Any]) -> bool:
        """Keep how far the current step is; False where there were too many reports (S4)."""
        return calling.progress(self, data)

    def reread(self) -> None:
        with self.store.read() as db:
            self.attempt = steps.get(db, self.run.pk, self.run.step)

    def submit(self, request_id: str, raw: Any) -> Receipt:
        """Take an answer to the open request.

        Raises:
            NotFound: No request of this run has that id.
            Conflict: It was answered with something else, or is closed.
        """
        return answering.submit(self, request_id, raw)

    def take_given(self) -> None:
        """Carry out an answer that a person gave elsewhere or in a dialog (H2)."""
        answering.take_given(self)

    def pause(self) -> Standing:
        """Hold the run after the step under way; nothing is lost and nothing runs on."""
        return stopping.pause(self)

    def cancel(self, reason: str = "cancelled", *, by_model: bool = False) -> Standing:
        """End the run: kill what it runs, record it, withdraw what it asked (D9).

        A person's cancel makes no turn (T4); the model's own is followed by a fallback (T10).
        """
        return stopping.cancel(self, reason, by_model=by_model)

    def carry_out_asked(self) -> None:
        """Pause or cancel as was stored, without driving on: for an asker whose owner is gone."""
        stopping.carry_out_asked(self)

    def claim(self) -> None:
        """Take up a run that was queued for this session."""
        stopping.claim(self)

    def resume(self, asker: str = "a person", say: Callable[[Tx], None] | None = None) -> None:
        """Let a parked or paused run go on where it stands; a running one just hears of it.

        Args:
            asker: Who wants it.
            say: Adds, in the same write, what is to be said because of it.

        Raises:
            Conflict: It is ambiguous: a person has to `settle` it.
        """
        stopping.resume(self, asker, say)

    def rest(self) -> None:
        """The model's turn is over: its time stands still until the next one starts."""
        waiting.rest(self)

    def start_clock(self) -> None:
        """The model's turn for the open step has begun: its own time runs."""
        waiting.start_clock(self)

    def time_is_due(self) -> bool:
        """Whether a wait, a person's deadline or a step's own time has run out."""
        return waiting.time_is_due(self)

    def routes_failure(self) -> bool:
        """Whether the author says what follows when the current step fails."""
        assert self.attempt is not None
        edge = self.definition.node(self.attempt.node).edge
        return edge.failure is not None or edge.on == OUTCOME_PATH

    def fail(self, reason: str) -> None:
        """End the current step as failed: whoever routes failures decides what follows."""
        moves.finish(self, StepEvent.FAIL, reason=reason)

    @property
    def prompt(self) -> str:
        """The author's prompt of the open request."""
        return "" if self.request is None else self.text_of(self.request)

    @property
    def voice(self) -> Voice:
        assert self.says is not None
        return self.says

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
        stopping.settle(self, how, output)

    def close(self) -> None:
        """Let go of the worker; the run stands as it is stored."""
        self.evaluator.kill()
