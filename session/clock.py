"""Time as an argument: nothing in the core asks the system what time it is on its own."""

from __future__ import annotations

import time
from typing import Protocol


class Clock(Protocol):
    def now(self) -> int:
        """Milliseconds since the epoch: for what people read and for `wait`."""

    def monotonic(self) -> float:
        """Seconds that never go back and stand still in sleep: for budgets of active time."""


class SystemClock:
    def now(self) -> int:
        return time.time_ns() // 1_000_000

    def monotonic(self) -> float:
        return time.monotonic()
