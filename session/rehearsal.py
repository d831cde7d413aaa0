"""Rehearses a workflow for real, against a scripted agent in place of a model.

Real store, worker, contracts and limits, in a session of the host `rehearsal`. Effects are
faked from the answers unless they are to run; waits are skipped by the rehearsal's own clock.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

from .errors import SegueError
from .ownership import Act, Actor, SessionKey, Who, check
from .status import REHEARSAL
from .store import attachments, requests, steps
from .store.values import json_of
from .text import StepText, step_text

if TYPE_CHECKING:
    from .answers import Answers
    from .canonical import Json
    from .loader import Loaded
    from .runner import Runner
    from .service import Service
    from .standing import Receipt, Standing
    from .store.records import Attempt, Run
    from .workflow.snapshot import Definition, NodeDef

HOST: Final = REHEARSAL


class RehearsalClock:
    """Real time, plus what was skipped."""

    def __init__(self) -> None:
        self._skipped_ms = 0

    def now(self) -> int:
        return time.time_ns() // 1_000_000 + self._skipped_ms

    def monotonic(self) -> float:
        return time.monotonic() + self._skipped_ms / 1000

    def skip(self, ms: int) -> None:
        """Let that many milliseconds have passed."""
        self._skipped_ms += max(0, ms)


class Cast(Protocol):
    """Who answers in place of the model, the person and the world outside."""

    def answer(self, node: NodeDef, kind: str, number: int, text: StepText) -> Json:
        """Give submission `number` (from 0) of a node."""

    def effect(self, node: NodeDef, visit: int) -> Json:
        """Give the result of an action (its output) or a command (`stdout`, ...)."""


class Audience(Protocol):
    """Who watches: every method is told of something after it has happened."""

    def started(self, run: Run, definition: Definition, resumed: int) -> None:
        """A run was started, or goes on with `resumed` steps done."""

    def said(self, node: NodeDef, visit: int, kind: str, text: StepText) -> None:
        """The workflow asked."""

    def answered(self, node: NodeDef, raw: Json, receipt: Receipt) -> None:
        """Somebody answered."""

    def skipped(self, node: NodeDef, ms: int) -> None:
        """A wait, or a step's time, was skipped."""

    def stepped(self, node: NodeDef, attempt: Attempt, output: Json, receipt: Json) -> None:
        """A step that asked nobody ended, or one that got no answer."""

    def progressed(self, node: NodeDef, data: dict[str, Any]) -> None:
        """An action reported progress."""

    def ended(self, run: Run, output: Json) -> None:
        """The run ended or parked."""


class Scripted:
    """A cast that follows an answers file."""

    def __init__(self, answers: Answers) -> None:
        self.answers = answers

    def answer(self, node: NodeDef, _kind: str, number: int, _text: StepText) -> Json:
        return self.answers.take(node.path, number)

    def effect(self, node: NodeDef, visit: int) -> Json:
        return self.answers.take(node.path, visit - 1)


class StepRecord(NamedTuple):
    """How one visit of a node ended."""

    node: str
    visit: int
    outcome: str
    kind: str


class Result(NamedTuple):
    """How a rehearsal ended."""

    run_id: str
    status: str
    reason: str | None
    detail: str | None
    output: Json
    exit: str | None
    steps: tuple[StepRecord, ...]
    leftover: dict[str, int]

    def to_json(self) -> dict[str, Any]:
        why = {} if self.status == "completed" else {"reason": self.reason}
        return {
            "run_id": self.run_id,
            "status": self.status,
            **why,
            "output": self.output,
            "steps": [{"node": s.node, "visit": s.visit, "outcome": s.outcome} for s in self.steps],
        }


class Rehearsal:
    """Drives one rehearsed run to its end, or to where it can go no further."""

    def __init__(
        self,
        service: Service,
        clock: RehearsalClock,
        cast: Cast,
        audience: Audience,
        *,
        run_actions: bool = False,
    ) -> None:
        self.service = service
        self.clock = clock
        self.cast = cast
        self.audience = audience
        self.run_actions = run_actions
        self._runner: Runner | None = None

    def start(self, loaded: Loaded, value: Json, session: str) -> Result:
        """Rehearse from the start in a new session."""
        key = SessionKey(HOST, session)
        try:
            self.service.check_input(loaded, value)  # before anything is written
            authority = self.service.attach(key, instance=session, reason="rehearse")
            prepared = self.service.prepare(
                loaded,
                value,
                actor=Actor(Who.PERSON, key),
                origin=key,
                launch_id=session,
                authority=authority,
            )
        except BaseException:
            loaded.worker.kill()
            raise
        runner = self.service.runner(
            prepared.run, authority, loaded.worker, loaded=True, **self._hooks()
        )
        return self._drive(runner)

    def go_on(self, run: Run, worker: Any = None) -> Result:
        """Go on with a kept rehearsal; `worker` may be coming up already."""
        if run.origin.host != HOST:
            raise SegueError(
                f"run {run.id} belongs to session {run.origin}: only that session drives it"
            )
        check(Actor(Who.PERSON, run.origin), Act.RESUME, run.origin)
        authority = self.service.attach(run.origin, instance=run.origin.id, reason="resume")
        runner = self.service.runner(run, authority, worker, **self._hooks())
        runner.resume()
        return self._drive(runner)

    def _hooks(self) -> dict[str, Any]:
        return {
            "fake": None if self.run_actions else self._fake,
            "on_progress": self._progressed,
            "on_step": self._stepped,
        }

    def _drive(self, runner: Runner) -> Result:
        self._runner = runner
        self.audience.started(runner.run, runner.definition, runner.run.steps)
        try:
            while True:
                standing = runner.advance()
                if standing.kind == "asking":
                    self._answer(runner, standing)
                elif standing.kind == "sleeping":
                    self._skip(runner, standing)
                else:
                    break
        finally:
            runner.close()
            attachments.detach(self.service.store, runner.authority)
        result = self.result(runner.run, runner.definition)
        self.audience.ended(runner.run, result.output)
        return result

    def _answer(self, runner: Runner, standing: Standing) -> None:
        request, attempt = standing.request, standing.attempt
        assert request is not None
        assert attempt is not None
        node = runner.definition.node(attempt.node)
        text = step_text(runner.definition.name, node, request.id, standing.text)
        with self.service.store.read() as db:
            done = dict(requests.submissions(db, runner.run.pk))
        self.audience.said(node, attempt.visit, request.kind, text)
        if runner.budget is not None:
            runner.budget.start()
        raw = self.cast.answer(node, request.kind, done.get(node.path, 0), text)
        if raw == {"$outcome": "timed_out"}:
            self._let_time_pass(runner, standing, node)
            return
        self.audience.answered(node, raw, runner.submit(request.id, raw))

    def _let_time_pass(self, runner: Runner, standing: Standing, node: NodeDef) -> None:
        left = None if runner.budget is None else runner.budget.left()
        if standing.until is not None:
            left = (standing.until - self.clock.now()) / 1000
        if left is None or (node.kind == "checkpoint" and node.on_timeout is None):
            raise SegueError(f"node '{node.path}' waits for ever: nothing times out there")
        self.clock.skip(int(left * 1000) + 1)
        self.audience.skipped(node, int(left * 1000))

    def _skip(self, runner: Runner, standing: Standing) -> None:
        assert standing.until is not None
        assert standing.attempt is not None
        ms = standing.until - self.clock.now()
        self.clock.skip(ms)
        self.audience.skipped(runner.definition.node(standing.attempt.node), ms)

    def _fake(self, node: NodeDef, attempt: Attempt) -> dict[str, Any]:
        item = self.cast.effect(node, attempt.visit)
        return {"fake": item} if node.kind == "shell" else {"value": item}

    def _progressed(self, attempt: Attempt, data: dict[str, Any]) -> None:
        assert self._runner is not None
        self.audience.progressed(self._runner.definition.node(attempt.node), data)

    def _stepped(self, attempt: Attempt, output: Json, receipt: Json) -> None:
        assert self._runner is not None
        node = self._runner.definition.node(attempt.node)
        asked = node.kind in ("agent", "assistant", "checkpoint")
        if not asked or attempt.state != "ok":  # `answered` tells of the others
            self.audience.stepped(node, attempt, output, receipt)

    def result(self, run: Run, definition: Definition) -> Result:
        """Read how the run stands from the store."""
        with self.service.store.read() as db:
            output = json_of(db, run.output)
            listed = steps.page(db, run.pk)
        cast = self.cast
        return Result(
            run.id,
            run.state,
            run.reason,
            run.detail,
            output,
            run.exit,
            records(listed, definition),
            cast.answers.left_over() if isinstance(cast, Scripted) else {},
        )


def records(listed: list[Attempt], definition: Definition) -> tuple[StepRecord, ...]:
    """Give one record a visit, in order: the outcome of its last try. Mounts are no steps."""
    made: dict[tuple[str, int], StepRecord] = {}
    for attempt in listed:
        kind = definition.node(attempt.node).kind
        if kind != "mount":
            key = (attempt.node, attempt.visit)
            made[key] = StepRecord(attempt.node, attempt.visit, attempt.state, kind)
    return tuple(made.values())
