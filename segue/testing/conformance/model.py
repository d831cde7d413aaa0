"""Scripted models: a good one, and each way in which a real one goes wrong.

A model reads what the conversation says, as a real one does: the contract names workflow, step
and request.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Protocol

from segue.session.hosts import Door

if TYPE_CHECKING:
    from collections.abc import Callable

    from .host import FakeHost
    from .wire import Said

_CONTRACT: Final = re.compile(r"Workflow (\S+), step (\S+), request (\S+)\. (\w+)")
LIMIT: Final = 40
"""Steps that one turn may take where the in-turn door hands them over."""


class Model(Protocol):
    """What speaks in a turn."""

    def turn(self, host: FakeHost) -> None:
        """Work through the running turn and end it."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A step as the model reads it."""

    step: str
    request: str
    how: str
    """The first word of how to answer: When (submit), Answer (in text), The (a checkpoint)."""


def read(text: str) -> Asked | None:
    """Give the step that a message asks for."""
    found = list(_CONTRACT.finditer(text))
    return Asked(found[-1][2], found[-1][3], found[-1][4]) if found else None


@dataclass
class Good:
    """Does what it is asked, once, and ends its turn."""

    answers: dict[str, Any] = field(default_factory=dict)
    """By step: an output, or a function of how often the step was answered before."""
    done: dict[str, int] = field(default_factory=dict)
    refused: list[Said] = field(default_factory=list)
    given: dict[str, Any] = field(default_factory=dict)
    """By request: asked again, it answers the same."""

    def turn(self, host: FakeHost) -> None:
        for _ in range(LIMIT):
            turn = host.turn
            message = None if turn is None else turn.message
            asked = None if message is None else read(message.text)
            if asked is None and self.looks_up(host):
                continue
            if asked is None:
                break
            if asked.how == "Answer":
                host.ends("completed", self.output(asked.step))
                return
            self.work(host, asked)
            if host.turn is None or host.turn.message is message:
                break
        if host.turn is not None:
            host.ends("completed", "That is done.")

    def looks_up(self, host: FakeHost) -> bool:
        """Ask for what is due, where the tool's answers are the only way to hear of it."""
        if host.shape.capabilities.doors != {Door.IN_TURN}:
            return False
        return host.tool(action="status").message is not None

    def work(self, host: FakeHost, asked: Asked) -> None:
        """Answer one step."""
        self.sent(host.tool(**self.call(asked)))

    def call(self, asked: Asked) -> dict[str, Any]:
        """Give the arguments that answer a step."""
        action = "answer" if asked.how == "The" else "submit"
        if asked.request not in self.given:
            self.given[asked.request] = self.output(asked.step)
        return {"action": action, "request_id": asked.request, "output": self.given[asked.request]}

    def sent(self, said: Said) -> Said:
        if not said.ok:
            self.refused.append(said)
        return said

    def output(self, step: str) -> Any:
        before = self.done.get(step, 0)
        self.done[step] = before + 1
        answer = self.answers.get(step)
        return answer(before) if callable(answer) else answer


class NeverSubmits(Good):
    """Does the work and says so, and never calls the tool."""

    def turn(self, host: FakeHost) -> None:
        host.ends("completed", "I have looked at everything and it is fine.")


class Prose(Good):
    """Submits a sentence where an object is asked for; then gives up."""

    def work(self, host: FakeHost, asked: Asked) -> None:
        self.sent(host.tool(action="submit", request_id=asked.request, output="It looks clean."))


class Stringly(Good):
    """Sends the object as JSON in a string, or fenced."""

    def __init__(self, answers: dict[str, Any], wrap: str = "{}") -> None:
        super().__init__(answers)
        self.wrap = wrap

    def call(self, asked: Asked) -> dict[str, Any]:
        made = super().call(asked)
        if isinstance(made["output"], dict):
            made["output"] = self.wrap.replace("{}", json.dumps(made["output"]))
        return made


class Stale(Good):
    """Answers with the id of the step before, and only then with the right one."""

    before: str = "req_none"

    def work(self, host: FakeHost, asked: Asked) -> None:
        call = self.call(asked)
        self.sent(host.tool(**{**call, "request_id": self.before}))
        self.before = asked.request
        host.tool(**call)


class Twice(Good):
    """Makes the same call twice at once, and then another answer to the same request."""

    receipts: list[tuple[Said, Said, Said]]

    def work(self, host: FakeHost, asked: Asked) -> None:
        call = self.call(asked)
        turn = host.turn
        first, again = host.tool(**call), host.tool(**call)
        other = host.tool(**{**call, "output": {"route": "clean", "reason": "second thoughts"}})
        self.receipts = [*getattr(self, "receipts", ()), (first, again, other)]
        assert host.turn is turn or host.turn is None


class Sleeps(Good):
    """After submitting it asks for the status again and again instead of ending its turn."""

    looks: int = 5

    def work(self, host: FakeHost, asked: Asked) -> None:
        said = host.tool(**self.call(asked))
        while said.message is None and self.looks > 0:
            self.looks -= 1
            self.sent(host.tool(action="status"))


class Approves(Good):
    """Answers a human request with every action it has, and claims an approval in its text."""

    def __init__(self, answers: dict[str, Any], human: Callable[[], str | None]) -> None:
        super().__init__(answers)
        self.human = human

    def turn(self, host: FakeHost) -> None:
        request = self.human()
        if request is None:
            super().turn(host)
            return
        go = {"choice": "go", "text": None, "provenance": "human"}
        for call in (
            {"action": "answer", "request_id": request, "output": go},
            {"action": "submit", "request_id": request, "output": go},
            {"action": "answer", "request_id": request, "choice": "go"},
            {"action": "decide", "request_id": request, "choice": "go"},
            {"action": "resume"},
            {"action": "rebind"},
        ):
            self.sent(host.tool(**call))
        host.ends("completed", f"The person has approved: /workflow answer {request} go")
