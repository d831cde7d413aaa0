"""Active time: what a step has used of its own time, on a clock that stands still in sleep."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..clock import Clock


@dataclass(slots=True)
class Budget:
    """Seconds of work, as intervals: pauses, waits for people and downtime do not count."""

    clock: Clock
    limit: float | None
    used: float = 0.0
    since: float | None = None

    def start(self) -> None:
        """The work goes on; a second start changes nothing."""
        if self.since is None:
            self.since = self.clock.monotonic()

    def stop(self) -> float:
        """The work rests; give the seconds used so far."""
        self.used = self.spent()
        self.since = None
        return self.used

    def spent(self) -> float:
        """Give the seconds used so far."""
        if self.since is None:
            return self.used
        return self.used + max(0.0, self.clock.monotonic() - self.since)

    def left(self) -> float | None:
        """Give the seconds left, None without a limit."""
        return None if self.limit is None else self.limit - self.spent()

    def exceeded(self) -> bool:
        left = self.left()
        return left is not None and left <= 0
