"""One Pi lane: a clean home, a project with a workflow, a scripted model, Segue installed.

The workflow has six model steps whose answers carry what came before, so that a step that was
lost, repeated or said out of order shows in the last one.
"""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import psutil

from . import cache
from .pi_rpc import FLAGS, Pi, configure, environment
from .provider import Move, Provider, Say, Seen, open_step, submit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

NODES = ("one", "two", "three", "four", "five", "six")
CHAIN = '''"""Six steps, each with what the one before said."""
from pydantic import BaseModel
from segue import Context, Workflow

class Task(BaseModel):
    task: str

class Said(BaseModel):
    words: str

chain = Workflow("chain", input=Task, start="one")

@chain.agent(output=Said, status="the first step")
def one(ctx: Context[Task]) -> str:
    return f"STEP one of {ctx.input.task}"

@chain.agent(output=Said)
def two(ctx: Context[Task]) -> str:
    return f"STEP two after {ctx.output(one).words}"

@chain.agent(output=Said)
def three(ctx: Context[Task]) -> str:
    return f"STEP three after {ctx.output(two).words}"

@chain.agent(output=Said)
def four(ctx: Context[Task]) -> str:
    return f"STEP four after {ctx.output(three).words}"

@chain.agent(output=Said)
def five(ctx: Context[Task]) -> str:
    return f"STEP five after {ctx.output(four).words}"

@chain.agent(output=Said)
def six(ctx: Context[Task]) -> str:
    return f"STEP six after {ctx.output(five).words}"

chain.edge(one, two)
chain.edge(two, three)
chain.edge(three, four)
chain.edge(four, five)
chain.edge(five, six)
'''
GATE = '''"""A person decides in the middle."""
from segue import Context, NoInput, Workflow

gate = Workflow("gate", start="decide")

@gate.human_decision(choices=("ship", "hold"), text=("hold",))
def decide(ctx: Context[NoInput]) -> str:
    return "Ship it now?"

@gate.agent()
def go(ctx: Context[NoInput]) -> str:
    return f"STEP go because {ctx.output(decide).choice} by {ctx.output(decide).provenance}"

@gate.compute
def held(ctx: Context[NoInput]) -> str:
    return f"held: {ctx.output(decide).text}"

gate.switch(decide, on="choice", cases={"ship": go, "hold": held})
'''


def good(seen: Seen) -> Move:
    """A model that does its step and ends its turn."""
    if seen.last["role"] == "tool":
        return Say("done with it")
    step = open_step(seen)
    if step is None or not _asked_last(seen):
        return Say("hello to you")
    return submit(seen, {"words": f"said {step[0]}"} if step[0] != "go" else None)


def _asked_last(seen: Seen) -> bool:
    from .provider import STEP, text_of

    return bool(STEP.search(text_of(seen.last)))


class Lane:
    """A home, a project, a scripted model and the Pi of one version."""

    def __init__(self, root: Path, version: str) -> None:
        self.version = version
        self.home = root / "home"
        self.project = root / "project"
        self.home.mkdir()
        folder = self.project / ".segue" / "workflows"
        folder.mkdir(parents=True)
        (folder / "chain.py").write_text(CHAIN, "utf-8")
        (folder / "gate.py").write_text(GATE, "utf-8")
        self.script: Callable[[Seen], Move] = good
        self.provider = Provider(lambda seen: self.script(seen))
        configure(self.home / ".pi" / "agent", self.provider.port)
        self.command = cache.pi(version)
        self.segue("install", "pi", "--yes")
        from segue.session import trust

        trust.trust(self.home / "segue-state", self.project)
        self._open: list[Pi] = []

    def segue(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run a Segue command as the person of this home."""
        return self._run([sys.executable, "-m", "segue", *words], 60)

    def once(self, *mode: str) -> subprocess.CompletedProcess[str]:
        """Run Pi without a terminal, in one of its modes, to its end."""
        return self._run([*self.command, *mode, *FLAGS, "/workflow chain the parser"], 120)

    def _run(self, argv: list[str], seconds: float) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            argv,
            cwd=self.project,
            env=environment(self.home),
            capture_output=True,
            text=True,
            check=False,
            timeout=seconds,
            stdin=subprocess.DEVNULL,
        )

    def pi(self, *extra: str) -> Pi:
        made = Pi(self.command, self.home, self.project, *extra)
        self._open.append(made)
        # Segue is attached when it shows where the run stands, or it says why it is not.
        made.wait(lambda item: item.get("method") in ("setStatus", "notify"))
        return made

    def close(self) -> None:
        for pi in self._open:
            if pi.process.poll() is None:
                pi.kill()
        self.provider.close()

    # --- what there is to see

    def servers(self, pi: Pi) -> list[psutil.Process]:
        """Give Segue's processes below a Pi: servers and workers."""
        found = []
        for child in psutil.Process(pi.process.pid).children(recursive=True):
            with suppress(psutil.NoSuchProcess):  # it ended while it was looked at
                if "segue" in " ".join(child.cmdline()):
                    found.append(child)
        return found

    @contextmanager
    def state(self) -> Iterator[sqlite3.Connection]:
        """Give the project's database, to look at."""
        (file,) = (self.home / "segue-state" / "projects").glob("*/state.sqlite3")
        db = sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)
        try:
            yield db
        finally:
            db.close()

    def rows(self, query: str, *args: Any) -> list[tuple[Any, ...]]:
        with self.state() as db:
            return db.execute(query, args).fetchall()

    def run_state(self) -> tuple[str, str | None]:
        state, reason = self.rows("SELECT state, reason FROM runs ORDER BY pk DESC LIMIT 1")[0]
        return state, reason

    def said_once(self) -> None:
        """Every step was said in one conversation once, in order, with what was said before."""
        assert [node for node, _ in self.provider.steps()] == list(NODES)
        last = self.provider.seen[-1]
        prompts = [t for t in last.texts("user") if "STEP " in t]
        firsts = [t.split("STEP ")[1].split()[0] for t in prompts]
        assert firsts == list(NODES), firsts
        accepted = self.rows("SELECT node, visit FROM attempts WHERE state = 'ok' ORDER BY step")
        assert accepted == [(node, 1) for node in NODES]


def dialog(item: dict[str, Any], method: str) -> bool:
    return item.get("type") == "extension_ui_request" and item.get("method") == method


def dump(value: Any) -> str:
    return json.dumps(value, indent=1)[:4000]
