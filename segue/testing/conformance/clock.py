"""A clock that only a test moves, and ids that count."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class FakeClock:
    """Active time and the calendar, apart: a closed laptop moves only the second."""

    ms: int = 1_800_000_000_000
    seconds: float = 1_000.0

    def now(self) -> int:
        return self.ms

    def monotonic(self) -> float:
        return self.seconds

    def advance(self, seconds: float) -> None:
        """Let active time pass."""
        self.seconds += seconds
        self.ms += int(seconds * 1000)

    def sleep(self, seconds: float = 8 * 3600) -> None:
        """Close the laptop: eight hours pass and nothing runs."""
        self.ms += int(seconds * 1000)


@dataclass(slots=True)
class CountedIds:
    """The same ids each time, never one twice, however many processes ask."""

    count: int = 0

    def new(self, kind: str) -> str:
        self.count += 1
        return f"{kind}_{self.count}"
