"""Figures of issue 6, against a real Pi: `python bench/pi.py`.

Pi's start with the extension beside one without, and the time from an accepted submit to the next
request at the model beside a bare extension that sends fixed messages in the same way. Both are
measured in turn (A B A B). Nothing here is a test: people decide.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import threading
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.e2e.lane import Lane, good
from tests.e2e.pi_rpc import Pi
from tests.e2e.provider import Move, Say, Seen, Use, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

VERSION = "1.6.0"
BARE = Path(__file__).with_name("pi_bare.ts")
STARTS = 9
RUNS = 5
STEPS = 6


class Figure(NamedTuple):
    """One line of the table, in seconds."""

    what: str
    ours: float
    bare: float
    limit: float


def start(lane: Lane, *extra: str) -> float:
    """Give the seconds until Pi answers its first question; it answers once all is loaded."""
    began = time.perf_counter()
    pi = Pi(lane.command, lane.home, lane.project, *extra)
    pi.ask("get_state")
    took = time.perf_counter() - began
    pi.close()
    return took


class Clock:
    """A model that notes when a tool's result reached it, and when the next message did."""

    def __init__(self) -> None:
        self.accepted: list[float] = []
        self.gaps: list[float] = []
        self.lock = threading.Lock()

    def __call__(self, seen: Seen) -> Move:
        now = time.perf_counter()
        with self.lock:
            if seen.last["role"] == "tool":
                self.accepted.append(now)
            elif self.accepted and "STEP" in text_of(seen.last):
                self.gaps.append(now - self.accepted.pop())
            else:
                self.accepted.clear()
        return self.answer(seen)

    def answer(self, seen: Seen) -> Move:
        return good(seen)


class BareClock(Clock):
    """The same model where the bare extension sends the steps."""

    def answer(self, seen: Seen) -> Move:
        if seen.last["role"] == "tool":
            return Say("done with it")
        if "STEP" in text_of(seen.last):
            return Use({"words": "said"}, "bare")
        return Say("hello to you")


def gaps(lane: Lane, clock: Clock, pi: Pi, command: str) -> Iterator[float]:
    """Give the times between accepted answers and the next messages of one run."""
    clock.gaps.clear()
    clock.accepted.clear()
    lane.script = clock
    pi.settled(pi.prompt(command))
    yield from clock.gaps
    assert len(clock.gaps) == STEPS - 1, clock.gaps


def measure(folder: Path) -> list[Figure]:
    for name in ("ours", "bare"):
        (folder / name).mkdir()
    ours, bare = Lane(folder / "ours", VERSION), Lane(folder / "bare", VERSION)
    bare.segue("uninstall", "pi", "--yes")
    try:
        starts = [(start(ours), start(bare)) for _ in range(STARTS)]
        with_, without = ([pair[at] for pair in starts] for at in (0, 1))
        figures = [Figure("Pi's start", median(with_), median(without), 0.5)]
        first = ours.pi()
        second = Pi(bare.command, bare.home, bare.project, "-e", str(BARE))
        second.ask("get_state")
        mine, theirs = Clock(), BareClock()
        long: list[float] = []
        short: list[float] = []
        for _ in range(RUNS):
            long += gaps(ours, mine, first, "/workflow chain the parser")
            short += gaps(bare, theirs, second, "/bare")
        figures.append(
            Figure("accepted answer to the next request", median(long), median(short), 0.06)
        )
        return figures
    finally:
        ours.close()
        bare.close()


def main() -> int:
    folder = Path(tempfile.mkdtemp(prefix="segue-bench-pi-"))
    try:
        print(f"Pi {VERSION:<33}  with Segue  bare Pi     more    limit")
        for f in measure(folder):
            more = f.ours - f.bare
            over = "  OVER" if more > f.limit else ""
            line = f"{f.what:<36}  {f.ours * 1000:7.1f} ms  {f.bare * 1000:7.1f} ms"
            print(f"{line}  {more * 1000:5.1f} ms  {f.limit * 1000:.0f} ms{over}")
    finally:
        shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
