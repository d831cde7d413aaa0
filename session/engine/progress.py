"""Rate and time left of a step's progress: worked out here, never invented by a model."""

from __future__ import annotations

from typing import NamedTuple


class Estimate(NamedTuple):
    """How far a step is. `rate` is units a second, `eta` seconds; None where nothing says it."""

    completed: float
    total: float | None
    unit: str
    message: str
    rate: float | None
    eta: float | None


def estimate(
    first: dict[str, object], latest: dict[str, object], first_ms: int, ms: int
) -> Estimate:
    """Give the estimate between the first report of a step and the latest, times in ms."""
    completed, total = _number(latest.get("completed")), latest.get("total")
    seconds = (ms - first_ms) / 1000
    gained = completed - _number(first.get("completed"))
    rate = gained / seconds if seconds > 0 and gained > 0 else None
    left = None if total is None else max(0.0, _number(total) - completed)
    eta = 0.0 if left == 0 else None if left is None or rate is None else left / rate
    return Estimate(
        completed,
        None if total is None else _number(total),
        str(latest.get("unit", "")),
        str(latest.get("message", "")),
        rate,
        eta,
    )


def _number(value: object) -> float:
    return float(value) if isinstance(value, (int, float)) else 0.0


class Throttle:
    """A bucket that lets `burst` updates through at once and `rate` a second after (S4)."""

    def __init__(self, rate: float, burst: int) -> None:
        self.rate = rate
        self.burst = burst
        self._left = float(burst)
        self._at: float | None = None
        self.dropped = 0

    def let(self, now: float) -> bool:
        """Whether one more may pass at `now` (monotonic seconds)."""
        if self._at is not None:
            self._left = min(self.burst, self._left + (now - self._at) * self.rate)
        self._at = now
        if self._left < 1:
            self.dropped += 1
            return False
        self._left -= 1
        return True
