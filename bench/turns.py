"""Figures of issue 4: how fast the next step is said, and what several processes cost each other.

`python bench/turns.py`. A floor is one durable commit of one small row on the same disk,
measured in turn with the figure (A B A B). Nothing here is a test: people decide.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench.run import Floor
from segue.session import paths, trust
from segue.session.clock import SystemClock
from segue.session.hosts import Capabilities, Report, Taken
from segue.session.ownership import Actor, Who
from segue.session.pump import Pump
from segue.session.service import Service
from segue.session.store.store import Store
from segue.testing.conformance import flows
from segue.testing.conformance.race import race

if TYPE_CHECKING:
    from segue.session.hosts import Offer

RACER = Path(__file__).parents[1] / "tests" / "conformance" / "racer.py"
LOOP = """
loop = Workflow("loop", start="ask", max_steps=100_000)

@loop.agent(output=Verdict)
def ask(ctx: Context) -> str:
    return f"Question {ctx.visit}."

loop.switch(ask, on="route", cases={"clean": None, "issues_found": ask})
"""
GATE = """
gate = Workflow("gate", start="agree", max_steps=100_000)

@gate.human_decision(choices=["go", "stop"])
def agree(ctx: Context) -> str:
    return f"Go on ({ctx.visit})?"

@gate.agent(output=Verdict)
def work(ctx: Context) -> str:
    return f"Work {ctx.visit}."

gate.switch(agree, on="choice", cases={"go": work, "stop": None})
gate.switch(work, on="route", cases={"clean": None, "issues_found": agree})
"""
ANSWER = """
import sys, time
from pathlib import Path
from segue.session.ownership import Actor, Who
from segue.session.service import Service
with Service(Path(sys.argv[1]), Path(sys.argv[2])) as service:
    for line in sys.stdin:
        service.decide(line.strip(), "go", None, None, Actor(Who.ELSEWHERE))
        print(time.monotonic(), flush=True)
"""
QUEUE = """
import sys, time
from pathlib import Path
from segue.session.ownership import SessionKey
from segue.session.service import Service
with Service(Path(sys.argv[1]), Path(sys.argv[2])) as service:
    service.queue("loop", None, None, SessionKey("bench", sys.argv[3]))
    print(time.monotonic(), flush=True)
"""


class Figure(NamedTuple):
    """One line of the table."""

    what: str
    value: str
    limit: str
    beside: str = ""


class Ear:
    """A host that only notes when a message reaches it."""

    def __init__(self) -> None:
        self.ids: list[str] = []
        self.at = 0.0
        self.offer_: Offer | None = None
        self.came = threading.Event()

    def offer(self, offer: Offer) -> Taken:
        self.at = time.monotonic()
        self.ids.append(offer.id)
        self.offer_ = offer
        if offer.starts_turn:
            self.came.set()
        return Taken.SEEN

    def report(self) -> Report:
        return Report(frozenset(self.ids))

    def abort_turn(self) -> None: ...

    def changed(self, view: dict[str, Any]) -> None: ...


def furnish(folder: Path) -> Path:
    """Make a project with its state; give the database."""
    project, state = folder / "project", folder / "home" / "projects" / "project-1"
    project.mkdir(parents=True)
    paths.prepare(state, top=folder / "home")
    flows.write_all(project)
    flows.write(project, "loop", LOOP)
    flows.write(project, "gate", GATE)
    trust.trust(folder / "home", project)
    Store(state / "state.sqlite3", SystemClock()).close()
    return state / "state.sqlite3"


def handed(folder: Path, floor: Floor, rounds: int = 200) -> Figure:
    """From the call of `submit` to the next step's message at the host."""
    database = furnish(folder)
    times, floors = [], []
    with Service(folder / "project", database) as service:
        ear = Ear()
        binding = service.bind(
            "bench", "a", instance="i", capabilities=Capabilities(), port=ear, trusted=True
        )
        binding.start("loop", actor=Actor(Who.PERSON, binding.key), launch_id="x")
        model = Actor(Who.MODEL, binding.key)
        answer = {"route": "issues_found", "reason": "more"}
        for _ in range(rounds):
            assert ear.offer_ is not None
            request = ear.offer_.details["request"]
            binding.turn_started(ear.offer_.id)
            began = time.monotonic()
            assert binding.submit(request, answer, actor=model).data["accepted"]
            binding.turn_ended("completed", "Done.")
            times.append(ear.at - began)
            floors.append(floor(1))
        binding.close()
    one, base = median(times), median(floors)
    return Figure(
        "submit accepted -> next step at the host",
        f"{one / base:.1f} floors",
        "10 floors",
        f"{one * 1000:.2f} ms; a floor {base * 1000:.2f} ms",
    )


def answered(folder: Path, rounds: int = 40) -> Figure:
    """From another process's commit of a person's answer to the next step at the host."""
    database = furnish(folder)
    times = []
    helper = subprocess.Popen(
        [sys.executable, "-c", ANSWER, str(folder / "project"), str(database)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert helper.stdin is not None
    assert helper.stdout is not None
    with Service(folder / "project", database) as service:
        ear = Ear()
        binding = service.bind(
            "bench", "a", instance="i", capabilities=Capabilities(), port=ear, trusted=True
        )
        binding.start("gate", actor=Actor(Who.PERSON, binding.key), launch_id="x")
        model = Actor(Who.MODEL, binding.key)
        pump = Pump(binding)
        for _ in range(rounds):
            pump.wake()
            assert pump.settle(30)
            runner = binding.runner
            assert runner is not None
            assert runner.request is not None
            ear.came.clear()
            helper.stdin.write(runner.request.id + "\n")
            helper.stdin.flush()
            at = float(helper.stdout.readline())
            assert ear.came.wait(30)
            times.append(ear.at - at)
            assert ear.offer_ is not None
            request = ear.offer_.details["request"]
            binding.turn_started(ear.offer_.id)
            binding.submit(request, {"route": "issues_found", "reason": "more"}, actor=model)
            binding.turn_ended("completed", "Done.")
        pump.close()
        binding.close()
    helper.stdin.close()
    helper.wait()
    return Figure(
        "answered by another process -> next step at the host",
        f"{median(times) * 1000:.0f} ms",
        "250 ms",
        f"worst of {rounds}: {max(times) * 1000:.0f} ms",
    )


def queued(folder: Path, rounds: int = 10) -> Figure:
    """From another process's commit of a queued run to its first step at the host."""
    database = furnish(folder)
    times = []
    with Service(folder / "project", database) as service:
        for number in range(rounds):
            ear = Ear()
            session = f"s{number}"
            binding = service.bind(
                "bench", session, instance="i", capabilities=Capabilities(), port=ear, trusted=True
            )
            pump = Pump(binding)
            done = subprocess.run(
                [sys.executable, "-c", QUEUE, str(folder / "project"), str(database), session],
                capture_output=True,
                text=True,
                check=True,
            )
            assert ear.came.wait(30)
            times.append(ear.at - float(done.stdout))
            pump.close()
            binding.close()
    return Figure(
        "a run queued by another process -> its first step, worker's start included",
        f"{median(times) * 1000:.0f} ms",
        "-",
        f"worst of {rounds}: {max(times) * 1000:.0f} ms",
    )


def writers(folder: Path) -> Figure:
    """8 processes x 500 writes on one store."""
    furnish(folder)
    said = race(RACER, "write", folder, 8, ROUNDS="500")
    longest = [one["longest"] * 1000 for racer in said for one in racer]
    return Figure(
        "8 processes x 500 writes, longest transaction",
        f"{max(longest):.0f} ms",
        "50 ms",
        f"no error; median of the longest {median(longest):.0f} ms",
    )


def idle(folder: Path, seconds: float = 10.0) -> Figure:
    """What an attached process costs while nothing happens."""
    database = furnish(folder)
    with Service(folder / "project", database) as service:
        binding = service.bind(
            "bench", "a", instance="i", capabilities=Capabilities(), port=Ear(), trusted=True
        )
        pump = Pump(binding)
        time.sleep(0.5)
        began, used = time.monotonic(), time.process_time()
        time.sleep(seconds)
        share = (time.process_time() - used) / (time.monotonic() - began)
        pump.close()
        binding.close()
    return Figure("idle attached process", f"{share * 100:.2f} % of a core", "0.5 %")


def attaching(folder: Path, rounds: int = 200) -> Figure:
    """Two processes that attach at once, again and again."""
    furnish(folder)
    said = race(RACER, "attach", folder, 2, ROUNDS=str(rounds))
    epochs = sorted(one["epoch"] for racer in said for one in racer)
    assert epochs == list(range(1, 2 * rounds + 1)), "an epoch was given twice"
    lost = sum(not one["claimed"] for racer in said for one in racer)
    return Figure(
        f"{rounds} rounds of two attaching", "one winner each", "1", f"{lost} were fenced at once"
    )


def main() -> int:
    folder = Path(tempfile.mkdtemp(prefix="segue-turns-"))
    try:
        figures = [
            handed(folder / "handed", Floor(folder)),
            answered(folder / "answered"),
            queued(folder / "queued"),
            writers(folder / "writers"),
            idle(folder / "idle"),
            attaching(folder / "attaching"),
        ]
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if "--json" in sys.argv[1:]:
        print(json.dumps([figure._asdict() for figure in figures], indent=2))
        return 0
    width = max(len(figure.what) for figure in figures)
    for figure in figures:
        print(
            f"{figure.what:<{width}}  {figure.value:>18}  (at most {figure.limit})  {figure.beside}"
        )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
