"""Rehearses for a test and keeps the conversation, so that prompts can be asserted on."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from segue.session import answers as scripts
from segue.session import settings
from segue.session.ids import RandomIds
from segue.session.paths import project_root
from segue.session.rehearsal import Rehearsal, RehearsalClock, Scripted
from segue.session.service import Service
from segue.session.workflow import discovery
from segue.session.workflow.freetext import from_text

if TYPE_CHECKING:
    from os import PathLike

    from segue.session.canonical import Json
    from segue.session.rehearsal import StepRecord
    from segue.session.standing import Receipt
    from segue.session.store.records import Attempt, Run
    from segue.session.text import StepText
    from segue.session.workflow.snapshot import Definition, NodeDef


@dataclass(frozen=True)
class Message:
    """What the workflow said to the model or a person.

    Attributes:
        node: The node's path.
        visit: Which visit of it.
        kind: `output`, `reply`, `checkpoint` or `human`.
        prompt: What the author's function gave.
        text: All of it, with Segue's guard, contract and schema.
    """

    node: str
    visit: int
    kind: str
    prompt: str
    text: str


@dataclass(frozen=True)
class Answer:
    """What was answered, and what came back: `message` has the problems of a rejected one."""

    node: str
    value: Any
    accepted: bool
    message: str


@dataclass(frozen=True)
class Command:
    """The command line that a `shell` step gave."""

    node: str
    visit: int
    argv: tuple[str, ...]


@dataclass(frozen=True)
class Rehearsed:
    """How a rehearsal went.

    Attributes:
        status: `completed`, `failed`, `timed_out`, ...
        reason: Why it did not complete.
        output: The output of the run's last node.
        exit: The exit that it ended by, if it has one of that node.
        steps: Node, visit, outcome and kind of each visit, in order.
        messages: What was said to the model and to people, in order.
        answers: What they answered, in order, rejected ones included.
        notices: What `notify` steps told.
        commands: The command line of each `shell` step, run or not.
        skipped: Milliseconds of each wait that was skipped, by node.
        left_over: How many items of each node were never needed.
    """

    run_id: str
    status: str
    reason: str | None
    output: Any
    exit: str | None
    steps: tuple[StepRecord, ...]
    messages: tuple[Message, ...]
    answers: tuple[Answer, ...]
    notices: tuple[str, ...]
    commands: tuple[Command, ...]
    skipped: dict[str, int]
    left_over: dict[str, int]

    @property
    def nodes(self) -> list[str]:
        """The path that the run took, node by node."""
        return [step.node for step in self.steps]

    def message(self, node: str, visit: int = 1) -> Message:
        """Give what was said at a visit of a node.

        Raises:
            LookupError: Nothing was; names where something was.
        """
        for message in self.messages:
            if (message.node, message.visit) == (node, visit):
                return message
        said = ", ".join(f"{m.node} (visit {m.visit})" for m in self.messages)
        raise LookupError(f"nothing was said at {node} (visit {visit}); at: {said}")


@dataclass
class _Listener:
    """Keeps what an audience is told."""

    messages: list[Message] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    commands: list[Command] = field(default_factory=list)
    waits: dict[str, int] = field(default_factory=dict)

    def started(self, run: Run, definition: Definition, resumed: int) -> None: ...

    def said(self, node: NodeDef, visit: int, kind: str, text: StepText) -> None:
        message = Message(node.path, visit, kind, text.prompt, str(text))
        if message not in self.messages:  # asked again after a rejection: said once
            self.messages.append(message)

    def answered(self, node: NodeDef, raw: Json, receipt: Receipt) -> None:
        self.answers.append(Answer(node.path, raw, receipt.accepted, receipt.message))

    def skipped(self, node: NodeDef, ms: int) -> None:
        self.waits[node.path] = self.waits.get(node.path, 0) + ms

    def stepped(self, node: NodeDef, attempt: Attempt, output: Json, receipt: Json) -> None:
        if node.kind == "notify" and attempt.state == "ok":
            self.notices.append(str(output))
        if isinstance(receipt, dict) and "argv" in receipt:
            argv: Any = receipt["argv"]
            self.commands.append(Command(node.path, attempt.visit, tuple(argv)))

    def progressed(self, node: NodeDef, data: dict[str, Any]) -> None: ...

    def ended(self, run: Run, output: Json) -> None: ...


def run(
    workflow: str | PathLike[str],
    *,
    given: Any,
    answers: dict[str, list[Any]] | None,
    run_actions: bool,
    project: str | PathLike[str] | None,
    run_in: str | PathLike[str] | None,
) -> Rehearsed:
    """Rehearse in a throw-away state folder; `segue.testing.rehearse` explains the arguments."""
    root = project_root(Path.cwd(), None if project is None else Path(project))
    found = discovery.find(str(workflow), root)
    script = scripts.from_json({} if answers is None else answers, "answers")
    listener = _Listener()
    clock = RehearsalClock()
    place = root if run_in is None else Path(run_in).resolve()
    with (
        tempfile.TemporaryDirectory(prefix="segue-test-") as folder,
        Service(place, Path(folder) / "state.sqlite3", clock) as service,
    ):
        service.settings = settings.read(root)
        loaded = service.load(found)
        try:
            script.check(loaded.definition.nodes)
            rehearsal = Rehearsal(
                service, clock, Scripted(script), listener, run_actions=run_actions
            )
            result = rehearsal.start(
                loaded, _input(given, loaded.definition), RandomIds().new("rehearsal")
            )
        finally:
            loaded.worker.kill()
    return Rehearsed(
        run_id=result.run_id,
        status=result.status,
        reason=result.detail or result.reason,
        output=result.output,
        exit=result.exit,
        steps=result.steps,
        messages=tuple(listener.messages),
        answers=tuple(listener.answers),
        notices=tuple(listener.notices),
        commands=tuple(listener.commands),
        skipped=listener.waits,
        left_over=result.leftover,
    )


def _input(given: Any, definition: Definition) -> Json:
    if isinstance(given, str):
        return from_text(definition.input_schema, definition.name, given)
    value: Json = {} if given is None else given
    return value
