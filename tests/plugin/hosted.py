"""A project with conversations, for tests of the commands that reach into them."""

from __future__ import annotations

import os
import select
import signal
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from segue.plugin.terminal_person import AGENTS
from segue.session import paths
from segue.session.hosts import Capabilities, Offer, Report, Taken
from segue.session.ownership import Actor, Who
from segue.session.service import Service
from segue.testing.conformance.worker import InlineWorker
from tests.kit import write_workflow

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from segue.session.binding import Binding
    from segue.session.engine.child import Worker

PATIENCE = 60.0
"""How long a terminal is waited for before a test fails: never a measure of speed."""

FLOWS = {
    "talk": """
    class Answer(BaseModel):
        text: str

    w = Workflow("talk", start="one")

    @w.agent(output=Answer)
    def one(ctx: Context) -> str:
        return "Say one."

    @w.agent(output=Answer)
    def two(ctx: Context) -> str:
        return "Say two."

    w.edge(one, two)
    """,
    "asleep": """
    w = Workflow("asleep", start="nap")
    w.wait("nap", seconds=3600)
    """,
    "gate": """
    class Say(BaseModel):
        word: str

    w = Workflow("gate", start="gate")

    @w.checkpoint(output=Say)
    def gate(ctx: Context) -> str:
        return "Which word?"
    """,
    "ship": """
    w = Workflow("ship", start="ok")

    @w.human_decision(choices=["approve", "change"], text=["change"])
    def ok(ctx: Context) -> str:
        return "Ship version 7 to everybody?"

    @w.compute
    def done(ctx: Context) -> str:
        return "shipped"

    w.switch(ok, on="choice", cases={"approve": done, "change": done})
    """,
    "dies": """
    w = Workflow("dies", start="boom")

    @w.compute
    def boom(ctx: Context) -> str:
        os._exit(3)
    """,
    "long": """
    w = Workflow("long", start="much")

    @w.agent()
    def much(ctx: Context) -> str:
        return "x" * 100_000
    """,
    "needs": """
    import pathlib
    if not (pathlib.Path(__file__).parents[2] / "needed").exists():
        raise ImportError("no module named needed")
    w = Workflow("needs", start="one")

    @w.agent()
    def one(ctx: Context) -> str:
        return "Say one."
    """,
    "pay": """
    w = Workflow("pay", start="transfer")

    @w.action(effect="manual")
    def transfer(ctx: Context) -> str:
        if not (ctx.project / "paid").exists():
            (ctx.project / "paid").touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return "paid"
    """,
}


REAL = frozenset({"dies", "needs", "pay"})
"""Flows that need a worker of their own: they kill it, or look at where they are loaded from."""


class Quick(Service):
    """A service whose workers are in this process."""

    real = False

    def spawn(self) -> Worker:
        if self.real:
            return super().spawn()
        return InlineWorker()  # type: ignore[return-value]  # the same calls


@dataclass
class Talk:
    """A conversation that takes what it is given, unless it is busy."""

    entries: list[str] = field(default_factory=list)
    offers: list[Offer] = field(default_factory=list)
    busy: bool = False

    def offer(self, offer: Offer) -> Taken:
        if self.busy:
            return Taken.BUSY
        self.entries.append(offer.id)
        self.offers.append(offer)
        return Taken.SEEN

    def report(self) -> Report:
        return Report(frozenset(self.entries))

    def abort_turn(self) -> None:
        pass

    def changed(self, view: dict[str, Any]) -> None:
        pass

    @property
    def last(self) -> Offer:
        """The latest message that started a turn."""
        return [offer for offer in self.offers if offer.starts_turn][-1]


@dataclass
class House:
    """One project; its conversations are driven in this process."""

    project: Path
    real: bool = False
    services: list[Service] = field(default_factory=list)
    bindings: list[Binding] = field(default_factory=list)

    @property
    def database(self) -> Path:
        home = paths.state_home(os.environ)
        found = paths.project_state(home, self.project)
        paths.prepare(found.parent, top=home.path)
        return found

    def service(self) -> Service:
        made = Quick(self.project, self.database)
        made.real = self.real
        self.services.append(made)
        return made

    def write(self, *names: str) -> None:
        self.real = self.real or not REAL.isdisjoint(names)
        for name in names:
            write_workflow(self.project, name, FLOWS[name])

    def bind(
        self, session: str = "a", *, instance: str = "i1", talk: Talk | None = None, **more: Any
    ) -> tuple[Binding, Talk]:
        """Attach a conversation of the host `pi`, in a process of its own as it were."""
        talk = talk or Talk()
        binding = self.service().bind(
            "pi",
            session,
            instance=instance,
            capabilities=Capabilities(),
            port=talk,
            trusted=True,
            **more,
        )
        self.bindings.append(binding)
        return binding, talk

    def start(self, name: str, session: str = "a") -> tuple[Binding, Talk, str]:
        """Start a workflow as the person in a new conversation; give its run's id."""
        self.write(name)
        binding, talk = self.bind(session)
        actor = Actor(Who.PERSON, binding.key)
        reply = binding.start(name, actor=actor, launch_id=f"{session}/{name}")
        return binding, talk, reply.data["run"]

    def sql(self, statement: str, *values: Any) -> None:
        """Change a row behind Segue's back."""
        store = self.service().store
        store.db.execute(statement, values)

    def close(self) -> None:
        for binding in self.bindings:
            binding.close()
        for service in self.services:
            service.close()


def no_agent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make this the shell of a person, whatever runs the tests."""
    for name in AGENTS:
        monkeypatch.delenv(name, raising=False)


class Pty:
    """`segue` at a terminal of its own, and the person who types there."""

    def __init__(self, *words: str, cwd: Path, stdout: Path, env: dict[str, str]) -> None:
        self.said = ""
        self.pid, self._fd = os.forkpty()
        if self.pid == 0:  # pragma: no cover - the other process
            try:
                os.chdir(cwd)
                out = os.open(stdout, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600)
                os.dup2(out, 1)
                os.dup2(out, 2)
                os.execve(sys.executable, [sys.executable, "-m", "segue", *words], env)
            finally:
                os._exit(127)

    def until(self, text: str) -> str:
        """Read the terminal until it shows a text."""
        while text not in self.said:
            ready, _, _ = select.select([self._fd], [], [], PATIENCE)
            assert ready, f"the terminal shows only: {self.said}"
            try:
                got = os.read(self._fd, 4_096)
            except OSError:  # Linux: the other side has closed
                got = b""
            assert got, f"it ended and showed only: {self.said}"
            self.said += got.decode("utf-8", "replace").replace("\r\n", "\n")
        return self.said

    def type(self, line: str) -> None:
        os.write(self._fd, f"{line}\n".encode())

    def end(self) -> int:
        """Wait for its end; give the exit code."""
        while True:
            ready, _, _ = select.select([self._fd], [], [], PATIENCE)
            if not ready:
                os.kill(self.pid, signal.SIGKILL)
            try:
                got = os.read(self._fd, 4_096)
            except OSError:
                got = b""
            if not got:
                break
            self.said += got.decode("utf-8", "replace")
        _, status = os.waitpid(self.pid, 0)
        os.close(self._fd)
        return os.waitstatus_to_exitcode(status)
