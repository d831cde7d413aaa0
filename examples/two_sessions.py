"""Two sessions of one project, and a minute in which everything is killed at random.

A workflow runs in session A; B only stands beside it. The process of either session, and the
workers that evaluate the workflow, are killed with SIGKILL at any moment and started again.
At the end the two transcripts are counted: every turn was said in A once, and none in B.

    python examples/two_sessions.py [SECONDS]
"""

from __future__ import annotations

import json
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import IO, TYPE_CHECKING

import psutil

from segue.plugin.views.page import Page
from segue.plugin.views.tables import Cell, table
from segue.session import paths
from segue.session.clock import SystemClock
from segue.session.hosts import Capabilities, Report, Taken
from segue.session.ownership import Actor, Who
from segue.session.service import Service
from segue.session.store.store import Store

if TYPE_CHECKING:
    from typing import Any

    from segue.session.binding import Binding
    from segue.session.hosts import Offer
    from segue.session.store.connection import Connection

WORKFLOW = """
from pydantic import BaseModel
from segue import Context, Workflow

class Found(BaseModel):
    more: bool
    where: str

patrol = Workflow("patrol", start="look", max_steps=100_000)

@patrol.agent(output=Found, status="looking")
def look(ctx: Context) -> str:
    return f"Look into room {ctx.visit}."

@patrol.compute
def note(ctx: Context) -> str:
    return f"room {ctx.visit}: {ctx.output(look).where}"

@patrol.agent(status="tidying")
def tidy(ctx: Context) -> str:
    return f"Tidy up: {ctx.output(note)}"

patrol.edge(look, note)
patrol.edge(note, tidy)

@patrol.compute
def on(ctx: Context) -> Found:
    return ctx.output(look)

patrol.edge(tidy, on)
patrol.switch(on, on="more", cases={True: look, False: None})
"""
THINKING = 0.05
"""Seconds that the scripted model takes for a turn."""


class Transcript:
    """A host whose conversation is a file: it outlives the process that writes it."""

    def __init__(self, file: Path) -> None:
        self.file = file
        file.touch()

    def lines(self) -> list[dict[str, Any]]:
        text = self.file.read_text().rpartition("\n")[0]
        return [json.loads(line) for line in text.splitlines()]

    def offer(self, offer: Offer) -> Taken:
        line = {"id": offer.id, "kind": offer.kind, "turn": offer.starts_turn, "text": offer.text}
        with self.file.open("a") as file:
            file.write(json.dumps(line) + "\n")
        return Taken.SEEN

    def report(self) -> Report:
        return Report(frozenset(line["id"] for line in self.lines()))

    def abort_turn(self) -> None: ...

    def changed(self, view: dict[str, Any]) -> None: ...


# --- one window: a process that is killed again and again


def window(folder: Path, session: str) -> None:
    """Be host, person and model of one session until killed."""
    transcript = Transcript(folder / f"{session}.jsonl")
    with Service(folder / "project", _database(folder)) as service:
        binding = service.bind(
            "demo", session, instance="the-window", capabilities=Capabilities(), port=transcript,
            trusted=True,
        )  # fmt: skip
        if session == "A" and not transcript.lines():
            person = Actor(Who.PERSON, binding.key)
            binding.start("patrol", actor=person, launch_id="the-first-message")
        while not (folder / "over").exists():
            _live(binding, transcript, last=(folder / "enough").exists())


def _live(binding: Binding, transcript: Transcript, *, last: bool) -> None:
    """Do one turn, if one is asked for."""
    binding.pump()
    runner = binding.runner
    if runner is None:
        time.sleep(THINKING)
        return
    if runner.run.state != "running":  # it broke off in a turn: a person says resume
        binding.ask("resume", actor=Actor(Who.PERSON, binding.key))
        return
    turns = [line["id"] for line in transcript.lines() if line["turn"]]
    if runner.request is None or not turns:
        return
    binding.turn_started(turns[-1])
    time.sleep(THINKING)
    looks = runner.attempt is not None and runner.attempt.node == "look"
    output = {"more": not last, "where": "under the table"} if looks else None
    model = Actor(Who.MODEL, binding.key)
    binding.submit(runner.request.id, output, actor=model)
    binding.turn_ended("completed", "Done.")


# --- the minute


def _database(folder: Path) -> Path:
    return folder / "home" / "projects" / "demo-1" / "state.sqlite3"


class Windows:
    """The two windows' processes, started again whenever they are gone."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.running: dict[str, subprocess.Popen[bytes]] = {}
        self.started: Counter[str] = Counter()
        self.log: IO[bytes] = (folder / "stderr").open("wb")

    def keep(self) -> None:
        for session in "AB":
            one = self.running.get(session)
            if one is None or one.poll() is not None:
                command = [sys.executable, __file__, "--window", str(self.folder), session]
                self.running[session] = subprocess.Popen(command, stderr=self.log)
                self.started[session] += 1

    def kill(self, victim: str) -> bool:
        """Kill a window, or the worker of A's."""
        if victim != "worker":
            self.running[victim].send_signal(signal.SIGKILL)
            self.running[victim].wait()
            return True
        try:
            children = psutil.Process(self.running["A"].pid).children()
            for child in children:
                child.kill()
        except psutil.Error:
            return False
        return bool(children)

    def end(self, seconds: float = 30.0) -> None:
        (self.folder / "over").touch()
        for one in self.running.values():
            try:
                one.wait(seconds)
            except subprocess.TimeoutExpired:
                one.kill()
        self.log.close()


def minute(folder: Path, seconds: float, page: Page) -> tuple[Counter[str], Counter[str]]:
    """Kill at random for so long, then let the run come to its end."""
    windows, kills = Windows(folder), Counter[str]()
    until = time.monotonic() + seconds
    try:
        while time.monotonic() < until:
            windows.keep()
            time.sleep(random.uniform(0.3, 2.2))  # noqa: S311 - when to kill is no secret
            victim = random.choice(["A", "A", "B", "worker"])  # noqa: S311 - as above
            kills[victim] += windows.kill(victim)
            _tell(folder, kills, until - time.monotonic(), page)
        (folder / "enough").touch()
        for _ in range(600):
            windows.keep()
            if _states(folder) == ["completed"]:
                break
            time.sleep(0.1)
    finally:
        windows.end()
    page.settle()
    return kills, windows.started


def _tell(folder: Path, kills: Counter[str], left: float, page: Page) -> None:
    turns = sum(line["turn"] for line in Transcript(folder / "A.jsonl").lines())
    page.live(f"  {max(0.0, left):3.0f} s left   {turns} turns in A   {kills.total()} kills")


def _db(folder: Path) -> Connection:
    return Store(_database(folder), SystemClock(), read_only=True).db


def _states(folder: Path) -> list[str]:
    return [state for (state,) in _db(folder).execute("SELECT state FROM runs")]


def show(folder: Path, kills: Counter[str], started: Counter[str], page: Page) -> int:
    """Count what both transcripts hold; 0 where every promise was kept."""
    lines = {session: Transcript(folder / f"{session}.jsonl").lines() for session in "AB"}
    turns = {session: [x for x in said if x["turn"]] for session, said in lines.items()}
    table(
        page,
        ("SESSION", "PROCESSES", "KILLS", "TURNS SEEN", "TWICE", "NOTICES"),
        [
            (
                Cell(session, ("bold",)),
                Cell(f"{started[session]:>9}"),
                Cell(f"{kills[session]:>5}"),
                Cell(f"{len(turns[session]):>10}", ("green",)),
                Cell(f"{_twice(lines[session]):>5}"),
                Cell(f"{len(lines[session]) - len(turns[session]):>7}"),
            )
            for session in "AB"
        ],
    )
    page.line()
    kinds = Counter(line["kind"] for line in turns["A"])
    page.line("  turns in A: " + ", ".join(f"{n} {kind}" for kind, n in kinds.most_common()))
    page.line(f"  workers killed beside: {kills['worker']}")
    page.line()
    db = _db(folder)
    steps = db.execute(
        "SELECT node, visit, count(*) FROM attempts WHERE state = 'ok' GROUP BY node, visit"
    ).fetchall()
    once = all(count == 1 for _, _, count in steps)
    asked = db.execute("SELECT count(*) FROM requests").fetchone()[0]
    states = _states(folder)
    proofs = [
        (not _twice(lines["A"]) and bool(turns["A"]), f"{len(turns['A'])} turns in A, each once"),
        (not turns["B"], f"{len(turns['B'])} turns in B"),
        (states == ["completed"], f"one run, {states[0] if states else 'none'}"),
        (once, f"{len(steps)} steps done, none of them twice; {asked} asked the model"),
    ]
    for holds, text in proofs:
        sign, colour = ("\u2713", "green") if holds else ("\u2717", "red")
        page.line(f"  {page.paint(sign, colour)} {text}")
    good = all(holds for holds, _ in proofs)
    page.line()
    said = "every turn once, in its own session" if good else "THE PROMISE DOES NOT HOLD"
    page.line(page.paint(said, "bold", "green" if good else "red"))
    if not good:
        page.line((folder / "stderr").read_text()[-2000:])
    return 0 if good else 1


def _twice(lines: list[dict[str, Any]]) -> int:
    return sum(count > 1 for count in Counter(line["id"] for line in lines).values())


def main(seconds: float) -> int:
    folder = Path(tempfile.mkdtemp(prefix="segue-two-sessions-"))
    try:
        file = folder / "project" / ".segue" / "workflows" / "patrol.py"
        file.parent.mkdir(parents=True)
        file.write_text(WORKFLOW)
        paths.prepare(_database(folder).parent, top=folder / "home")
        Store(_database(folder), SystemClock()).close()
        page = Page()
        page.line(page.paint(f"Two sessions, and {seconds:g} seconds of kill -9", "bold"))
        page.line()
        kills, started = minute(folder, seconds, page)
        return show(folder, kills, started, page)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--window"]:
        window(Path(sys.argv[2]), sys.argv[3])
        raise SystemExit
    raise SystemExit(main(float(sys.argv[1]) if len(sys.argv) > 1 else 60.0))
