"""The seam of the kit: what it needs of the way by which a host reaches Segue.

An adapter's tests implement `Wire` over its own protocol and run `SCENARIOS` on it. `local.py`
is the shortest one: calls inside one process.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from segue.session.hosts import Capabilities, Host, Offer, Report


class Gone(Exception):
    """The server's process ended in the middle of a call: nobody knows how far it came."""


@dataclass(frozen=True, slots=True)
class Said:
    """What a call gave back.

    Attributes:
        ok: Whether it was done.
        text: What the caller reads.
        code: The named error where it was not done.
        data: The structured half of the answer.
        message: Segue's message that the answer carries (in-turn and at-stop doors).
        notices: What the person is to be shown.
    """

    ok: bool
    text: str = ""
    code: str = ""
    data: dict[str, Any] = field(default_factory=dict)
    message: Offer | None = None
    notices: tuple[str, ...] = ()


class Line(Protocol):
    """One attached session. Every call may raise `Gone`."""

    def command(self, text: str, call: str) -> Said:
        """The person typed `/workflow text`."""

    def tool(self, arguments: object, call: str) -> Said:
        """The model called the `workflow` tool."""

    def decide(self, request: str, choice: str, text: str | None, shown: str | None) -> Said:
        """The person chose in a dialog of the host; `shown` is the digest of what it showed."""

    def seen(self, message: str) -> Said:
        """A message has come into the conversation."""

    def report(self, report: Report) -> Said:
        """This is what the conversation holds."""

    def turn_started(self, cause: str | None) -> Said:
        """A turn has begun: by a message's id, by `"user"`, or by what the host cannot tell."""

    def turn_ended(self, outcome: str, text: str, error: str, call: str) -> Said:
        """A turn has ended; the answer may carry the next message."""

    def compacted(self, event: str) -> Said:
        """The conversation was compacted."""

    def branch_moved(self, report: Report) -> Said:
        """The person went to another branch."""

    def forked_from(self, parent: str) -> Said:
        """The conversation is a copy of another session's."""

    def close(self) -> Said:
        """The host lets go of the session, in order."""


class Server(Protocol):
    """One server process of one project."""

    alive: bool
    """Whether its process is there still."""

    def attach(
        self,
        port: Host | None,
        session: object,
        *,
        host: str,
        instance: str,
        capabilities: Capabilities,
        reason: str,
    ) -> Line:
        """Connect a session; raises `Refused` with the named error.

        The host reports right after it: Segue may have been away.
        """

    def elsewhere(self, what: str, *words: Any) -> Said:
        """A person elsewhere asks.

        `queue NAME TEXT SESSION`, `pause RUN`, `resume RUN`, `cancel RUN`,
        `answer REQUEST CHOICE TEXT SHOWN`, `rebind RUN SESSION`.
        """

    def look(self) -> None:
        """Let it notice the time and what other processes have committed."""

    def kill(self) -> None:
        """End it at once: nothing of it is tidied up."""

    def close(self) -> None:
        """End it in order."""


class Refused(Exception):
    """An attachment was refused; `code` names why."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(text)
        self.code = code


class Wire(Protocol):
    """Starts server processes of one project."""

    def server(self) -> Server:
        """Start one more."""
