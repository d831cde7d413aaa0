"""Where a run stands: what its runner gives back when it can do no more by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from .store.records import Attempt, Request, Run


class Standing(NamedTuple):
    """What the run is waiting for.

    `asking`: an answer to `request`, whose text is `text`. `sleeping`: the time `until`
    (ms since the epoch). `parked`: somebody has to act; the run's reason says who and how.
    `ended`: nothing.
    """

    kind: Literal["asking", "sleeping", "parked", "ended"]
    run: Run
    attempt: Attempt | None = None
    request: Request | None = None
    text: str = ""
    until: int | None = None


class Receipt(NamedTuple):
    """What somebody who answered a request is told; the same for the same answer (T2)."""

    accepted: bool
    request: str
    message: str
    normalized: bool = False
    problems: tuple[dict[str, str], ...] = ()

    def to_json(self) -> dict[str, object]:
        return {
            "accepted": self.accepted,
            "request": self.request,
            "message": self.message,
            "normalized": self.normalized,
            "problems": list(self.problems),
        }


class Parked(Exception):
    """The run has been left waiting in the middle of what was being done."""


class CancelAsked(Exception):
    """Somebody has asked for the run's end: whatever is under way gives way to it."""
