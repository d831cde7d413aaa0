"""One process of a rehearsal that is going to be killed, or that goes on after one that was.

Runs in a process of its own. The blow comes from inside, at an exact commit, or from outside.
"""

from __future__ import annotations

import functools
import os
import signal
import sqlite3
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from segue.session import answers as scripts
from segue.session import paths
from segue.session.engine import calls as _calls  # noqa: F401 - a forked worker has it already
from segue.session.engine import worker
from segue.session.engine.child import Worker
from segue.session.ownership import Actor, Who
from segue.session.rehearsal import Rehearsal, RehearsalClock, Scripted
from segue.session.service import Service
from segue.session.store import definitions
from segue.session.workflow.discovery import find

if TYPE_CHECKING:
    from segue.session.rehearsal import Result
    from segue.session.store.records import Run
    from segue.session.workflow.snapshot import Definition

WORKFLOW = """
from typing import Any, Literal
from pydantic import BaseModel
from segue import OUTCOME, Context, ShellResult, Workflow

def note(ctx, node):
    # One write of a short line with O_APPEND: no kill leaves half of it.
    with open("bodies", "ab", buffering=0) as file:
        file.write(f"{node} {ctx.visit} {ctx.effect_key.partition(':')[2]}\\n".encode())

class Out(BaseModel):
    route: Literal["again", "on"]
    text: str

inner = Workflow("inner", start="x")
@inner.compute
def x(ctx: Context[Any]) -> str:
    note(ctx, "inner/x")
    return "x" * 5000
@inner.agent(output=Out)
def y(ctx: Context[Any]) -> str:
    return f"look at {len(ctx.output(x))}"
inner.edge(x, y)
done = inner.exit("done", y, output=Out)

wf = Workflow("crash", start="first")
@wf.compute
def first(ctx: Context[Any]) -> int:
    note(ctx, "first")
    return ctx.visit
part = wf.include("inner", inner)
nap = wf.wait("nap", seconds=3600)
@wf.shell(effect="idempotent", parse=lambda r: r.stdout.strip())
def build(ctx: Context[Any]) -> list[str]:
    return ["sh", "-c", "echo build 1 >> bodies; echo built"]
@wf.action(effect="manual")
def send(ctx: Context[Any]) -> str:
    note(ctx, "send")
    return "sent " + ctx.output(build)
@wf.checkpoint()
def ask(ctx: Context[Any]) -> str:
    return "all well?"
@wf.compute
def last(ctx: Context[Any]) -> list[str]:
    note(ctx, "last")
    return [ctx.output(send), ctx.output(ask), ctx.output(part.exit(done)).text]
wf.edge(first, part)
wf.switch(part.exit(done), on="route", cases={"again": first, "on": nap})
wf.edge(nap, build)
wf.edge(build, send)
wf.edge(send, ask)
wf.edge(ask, last)
"""
ANSWERS: dict[str, list[Any]] = {
    "inner/y": [
        {"route": "nowhere"},
        {"route": "again", "text": "once more"},
        {"route": "on", "text": "good"},
    ],
    "ask": ["yes"],
}
OUTPUT = ["sent built", "yes", "good"]


class Silent:
    """An audience that says nothing."""

    def __getattr__(self, _name: str) -> Any:
        return lambda *_: None


class Killer(sqlite3.Connection):
    """A connection that ends its process right before, or right after, one of its commits.

    It notes how much of the log has reached the disk: the rest goes in a power failure.
    """

    writes = 0
    nth = 0
    after = False
    state = Path()
    lasting = True

    def execute(self, sql: str, *args: Any) -> sqlite3.Cursor:
        if sql == "BEGIN IMMEDIATE":
            done = super().execute(sql, *args)
            self.writing = True
            return done
        if sql.startswith("PRAGMA synchronous"):
            self.lasting = sql.endswith("FULL")
        if sql != "COMMIT" or not getattr(self, "writing", False):
            return super().execute(sql, *args)
        Killer.writes += 1
        here = Killer.writes == Killer.nth
        if here and not Killer.after:
            os.kill(os.getpid(), signal.SIGKILL)
        done = super().execute(sql, *args)
        self.writing = False
        if self.lasting:
            log = Killer.state / "state.sqlite3-wal"
            (Killer.state.parent / "lasts").write_text(str(log.stat().st_size))
        if here:
            os.kill(os.getpid(), signal.SIGKILL)
        return done


def fork_instead(
    _path: str, argv: list[str], _env: object, *, file_actions: list[tuple[Any, ...]], setsid: bool
) -> int:
    """Fork a worker from its server instead of starting one afresh.

    The same in all that a kill can tell, without half a second of imports.
    """
    pid = os.fork()
    if pid == 0:
        try:
            assert setsid
            os.setsid()
            for do, fd, to, *more in file_actions:
                if do == os.POSIX_SPAWN_OPEN:
                    os.dup2(os.open(to, *more), fd)
                else:
                    os.dup2(fd, to)
            sys.argv = ["worker", *argv[-3:]]
            low = 3
            for fd in (*map(int, argv[-3:]), 1000):  # what an exec would have closed
                os.closerange(low, fd)
                low = fd + 1
            worker.main()
        finally:
            os._exit(1)
    return pid


class Watched(Service):
    """A service that writes down which worker groups it has started."""

    def spawn(self) -> Worker:
        made = super().spawn()
        assert made.identity is not None
        with (self.project / "groups").open("ab", buffering=0) as file:
            file.write(f"{made.identity.pid}\n".encode())
        return made


def main(folder: Path, nth: int = 0, *, after: bool = False, forked: bool = False) -> None:
    """Start the rehearsal or go on with it, to its end or to the blow at the nth commit.

    Ends with code 0 once the run is complete and has what it should have.
    """
    Killer.nth, Killer.after = nth, after
    sqlite3.connect = functools.partial(sqlite3.connect, factory=Killer)  # type: ignore[assignment]
    if forked:
        os.posix_spawnp = fork_instead  # type: ignore[assignment]
    project = folder / "project"
    state = folder / "state"
    paths.prepare(state)
    Killer.state = state
    clock = RehearsalClock()
    service = Watched(project, state / "state.sqlite3", clock)
    cast = Scripted(scripts.from_json(ANSWERS, "answers"))
    rehearsal = Rehearsal(service, clock, cast, Silent(), run_actions=True)
    result = _drive(service, rehearsal)
    if result.status == "ambiguous":
        run = service.find_run(result.run_id)
        service.settle(run, Actor(Who.ELSEWHERE), "done", "sent built")
        result = rehearsal.go_on(service.find_run(run.id))
    service.close()
    assert result.status == "completed", (result.status, result.reason, result.detail)
    assert result.output == OUTPUT, result.output
    (folder / "commits").write_text(str(Killer.writes))


def _drive(service: Service, rehearsal: Rehearsal) -> Result:
    runs = service.latest_runs(1)
    if not runs:
        found = find("crash", service.project, service.project)
        return rehearsal.start(service.load(found), {}, "s")
    run = runs[0]
    if run.state in ("completed", "ambiguous"):
        return rehearsal.result(run, _definition(service, run))
    return rehearsal.go_on(run)


def _definition(service: Service, run: Run) -> Definition:
    with service.reading() as db:
        return definitions.get(db, run.definition)
