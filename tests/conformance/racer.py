"""One process of a race or of a killing spree: does what its arguments say, then reports.

Run as `python racer.py WHAT FOLDER SESSION NUMBER`; it waits for the file `go` first.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

from segue.session.errors import Fenced
from segue.session.hosts import Capabilities, Report, Taken
from segue.session.ownership import Actor, SessionKey, Who
from segue.session.service import Service

WHAT, FOLDER, SESSION, NUMBER = sys.argv[1], Path(sys.argv[2]), sys.argv[3], sys.argv[4]
PROJECT, DATABASE = FOLDER / "project", FOLDER / "home" / "projects" / "project-1" / "state.sqlite3"


class Transcript:
    """A host whose conversation is a file: an entry is one line, appended and synced."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def offer(self, offer: object) -> Taken:
        line = json.dumps({"id": offer.id, "turn": offer.starts_turn, "text": offer.text})  # type: ignore[attr-defined]
        with self.file.open("a") as file:
            file.write(line + "\n")
        return Taken.SEEN

    def report(self) -> Report:
        lines = self.file.read_text().splitlines() if self.file.exists() else []
        return Report(frozenset(json.loads(line)["id"] for line in lines))

    def abort_turn(self) -> None: ...

    def changed(self, view: object) -> None: ...


def say(**facts: object) -> None:
    print(json.dumps(facts), flush=True)


def ready() -> None:
    """Wait until everybody is there."""
    (FOLDER / f"ready-{NUMBER}").touch()
    while not (FOLDER / "go").exists():
        time.sleep(0.001)


def attach() -> None:
    """Attach to the one session and start the one run, as fast as may be, again and again."""
    with Service(PROJECT, DATABASE) as service:
        service.trusted = True
        key = SessionKey("fake", SESSION)
        ready()
        for turn in range(int(os.environ["ROUNDS"])):
            authority = service.attach(key, instance=f"{NUMBER}-{turn}", reason="race")
            claimed = 0
            try:
                with service.store.write("racer", None, authority) as tx:
                    tx.event("won", {"epoch": authority.epoch})
                claimed = 1
            except Fenced:
                pass
            say(epoch=authority.epoch, claimed=claimed)


def write() -> None:
    """Write 500 times and say how long the longest took from BEGIN to COMMIT."""
    with Service(PROJECT, DATABASE) as service:
        ready()
        longest = 0.0
        for _ in range(int(os.environ["ROUNDS"])):
            with service.store.write("racer") as tx:
                began = time.perf_counter()
                tx.event("write", {"by": NUMBER})
            longest = max(longest, time.perf_counter() - began)
        say(longest=longest)


def launch() -> None:
    """Launch one run by the same identity as everybody else."""
    with Service(PROJECT, DATABASE) as service:
        service.trusted = True
        loaded = service.load_trusted("review")
        ready()
        try:
            prepared = service.prepare(
                loaded,
                {},
                actor=Actor(Who.PERSON, SessionKey("fake", SESSION)),
                origin=SessionKey("fake", SESSION),
                launch_id="the-same",
                authority=None,
            )
            say(how=prepared.how, run=prepared.run.id)
        finally:
            loaded.worker.kill()


def live() -> None:
    """Host and model of one session, until killed: works through whatever is asked."""
    host = Transcript(FOLDER / f"{SESSION}.transcript")
    with Service(PROJECT, DATABASE) as service:
        binding = service.bind(
            "fake", SESSION, instance="the-one", capabilities=Capabilities(), port=host,
            trusted=True,
        )  # fmt: skip
        person, model = Actor(Who.PERSON, binding.key), Actor(Who.MODEL, binding.key)
        say(attached=binding.authority.epoch)
        if os.environ.get("START"):
            binding.start("review", actor=person, launch_id="the-same")
        while True:
            runner = binding.runner
            if runner is None:
                say(ended=True)
                return
            request = runner.request
            if runner.run.state != "running":
                binding.ask("resume", actor=person)
                continue
            assert request is not None
            node = runner.attempt.node if runner.attempt else ""
            route = "issues_found" if len(runner.memory.visits) < 2 else "clean"
            output = {"route": route, "reason": "x"} if node == "inspect" else None
            lines = host.file.read_text().splitlines()
            last = [json.loads(line)["id"] for line in lines if json.loads(line)["turn"]][-1]
            binding.turn_started(last)
            binding.submit(request.id, output, actor=model)
            binding.turn_ended("completed", "done")


{"attach": attach, "write": write, "launch": launch, "live": live}[WHAT]()
