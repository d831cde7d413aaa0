"""What a host can do and prove, and how Segue speaks to one: the seam of every adapter."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from .workflow.snapshot import Definition


class Door(StrEnum):
    """How a message gets into a conversation."""

    PUSH = "push"
    """Segue asks the host to put it there and start a turn."""
    IN_TURN = "in_turn"
    """The result of an accepted submit carries the next step."""
    AT_STOP = "at_stop"
    """The host asks, when a turn ends, whether there is more to do."""


class Evidence(StrEnum):
    """How a host proves that a message is in the conversation."""

    ENTRY = "entry"
    """The message is found in the conversation."""
    RECEIPT = "receipt"
    """The host says that it has put it there."""
    NONE = "none"
    """Only what happens later tells."""


@dataclass(frozen=True)
class Capabilities:
    """What a host's adapter declares.

    Attributes:
        doors: The doors that it has.
        evidence: Its proof of delivery.
        wake: Whether a push reaches a session that has been idle for long.
        abort: Whether a running turn can be stopped.
        reply_text: Whether it tells the last visible text of a turn.
        sees_abort: Whether it tells that a person stopped a turn (Escape).
    """

    doors: frozenset[Door] = frozenset({Door.PUSH})
    evidence: Evidence = Evidence.ENTRY
    wake: bool = True
    abort: bool = True
    reply_text: bool = True
    sees_abort: bool = True

    def to_json(self) -> dict[str, Any]:
        return {
            "doors": sorted(self.doors),
            "evidence": str(self.evidence),
            "wake": self.wake,
            "abort": self.abort,
            "reply_text": self.reply_text,
            "sees_abort": self.sees_abort,
        }

    def lacks(self, definition: Definition) -> list[str]:
        """Say what a workflow needs that this host does not have."""
        missing = []
        kinds = {node.kind for node in definition.nodes.values()}
        if "assistant" in kinds and not self.reply_text:
            missing.append("the text of a turn (for its `assistant` steps)")
        if "wait" in kinds and not (self.wake and Door.PUSH in self.doors):
            missing.append("waking an idle session (for its `wait` steps)")
        return missing


@dataclass(frozen=True, slots=True)
class Offer:
    """A message on its way to a host.

    `starts_turn` is False for a notice. `id` is what the host keeps beside the text, and what
    it names in reports. `details` is for a card: workflow, node, request, kind.
    """

    id: str
    kind: str
    text: str
    starts_turn: bool
    details: dict[str, Any] = field(default_factory=dict)


class Taken(StrEnum):
    """What a host did with an offer."""

    SEEN = "seen"
    """It is in the conversation."""
    TAKEN = "taken"
    """The host has it and will put it there."""
    BUSY = "busy"
    """The session was not idle: the host did not take it."""


@dataclass(frozen=True, slots=True)
class Report:
    """What a host finds in a conversation.

    Attributes:
        entries: Ids of Segue's messages on the current branch.
        queued: Ids that the host has taken and not yet put there.
        idle: No turn runs and no person's input is queued.
        full: The whole branch was looked at; only then can a message be missing.
    """

    entries: frozenset[str]
    queued: frozenset[str] = frozenset()
    idle: bool = True
    full: bool = True


class Host(Protocol):
    """The push side of a host. Every method may raise `OSError` when the host has gone."""

    def offer(self, offer: Offer) -> Taken:
        """Put a message into the conversation if it is idle; nothing is awaited between (T5)."""

    def report(self) -> Report:
        """Look at the conversation."""

    def abort_turn(self) -> None:
        """Stop the running turn."""

    def changed(self, view: dict[str, Any]) -> None:
        """The session's run has changed: here is what to show."""
