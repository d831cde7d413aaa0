"""The core's figures, in one table: `make bench`.

Each is a ratio to work that was measured in turn with it (A B A B), so that a slow or busy
machine changes both. A floor is one durable commit of one small row: WAL, synchronous=FULL, on
the same disk. Nothing here is a test: a ratio over its limit is shown, and people decide. The
other benches of this folder follow, each with a table of its own; `--core` leaves them out.
"""

from __future__ import annotations

import compileall
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

from segue.session import paths
from segue.session.clock import SystemClock
from segue.session.ownership import Actor, SessionKey, Who
from segue.session.service import Service
from segue.session.workflow.discovery import find

if TYPE_CHECKING:
    from collections.abc import Callable

    from segue.session.runner import Runner

CHAIN = """
from typing import Any
from pydantic import BaseModel
from segue import Context, Workflow

class More(BaseModel):
    more: bool

wf = Workflow("{name}", start="a", max_steps=100000)
@wf.compute
def a(ctx: Context[Any]) -> int:
    return ctx.visit
@wf.compute
def b(ctx: Context[Any]) -> More:
    return More(more=ctx.output(a) < {last})
wf.edge(a, b)
wf.switch(b, on="more", cases={{True: a, False: None}})
"""
ASKING = """
from typing import Any
from pydantic import BaseModel
from segue import Context, Workflow

class Out(BaseModel):
    more: bool
    text: str

wf = Workflow("asking", start="a", max_steps=100000)
@wf.agent(output=Out)
def a(ctx: Context[Any]) -> str:
    return f"question {{ctx.visit}}"
wf.switch(a, on="more", cases={{True: a, False: None}})
"""
BODY = """
import os, time
@wf.compute
def c(ctx: Context[Any]) -> int:
    at = time.monotonic_ns()
    with open("bodies", "a") as file:
        file.write(f"{{at}}\\n")
    time.sleep(600)
    return 1
"""
RESUMED = (
    CHAIN
    + BODY
    + """
wf.edges.pop()
wf.switch(b, on="more", cases={{True: a, False: c}})
"""
)
PLAIN = (
    """
from typing import Any
from segue import Context, Workflow

wf = Workflow("{name}", start="a", max_steps=100000)
@wf.compute
def a(ctx: Context[Any]) -> int:
    return ctx.visit
@wf.compute
def b(ctx: Context[Any]) -> int:
    if ctx.output(a) >= {last}:
        raise RuntimeError("enough")
    return 1
wf.edge(a, b)
wf.edge(b, a)
"""
    + BODY
    + "wf.on_failure(b, c)\n"
)


HERE = Path(__file__).parent
OTHERS = ("check.py", "turns.py", "lsp.py", "authoring.py", "pi.py")
MODEL = "import pydantic\nclass Model(pydantic.BaseModel): pass"


class Figure(NamedTuple):
    """One line of the table; times in seconds. Without a limit it only explains another."""

    name: str
    ours: float
    reference: str
    theirs: float
    limit: float | None

    @property
    def ratio(self) -> float:
        return self.ours / self.theirs


class Pair:
    """Times of ours and of what is beside it, taken in turn."""

    def __init__(self) -> None:
        self.ours: list[float] = []
        self.theirs: list[float] = []

    def add(self, ours: float, theirs: float) -> None:
        self.ours.append(ours)
        self.theirs.append(theirs)

    def figure(self, name: str, reference: str, limit: float | None) -> Figure:
        return Figure(name, median(self.ours), reference, median(self.theirs), limit)


class Floor:
    """One durable commit, as bare as SQLite does it."""

    def __init__(self, folder: Path) -> None:
        self.db = sqlite3.connect(folder / "floor.sqlite3", isolation_level=None)
        self.db.execute("PRAGMA journal_mode = WAL")
        self.db.execute("PRAGMA synchronous = FULL")
        self.db.execute("CREATE TABLE steps (number INTEGER PRIMARY KEY, output TEXT)")

    def __call__(self, count: int) -> float:
        """Give the seconds of one commit, the median of some."""
        return median(timed(self.commit) for _ in range(count))

    def mean(self, count: int) -> float:
        """Give the seconds of one commit, in a row of some."""
        return timed(lambda: [self.commit() for _ in range(count)]) / count

    def commit(self) -> None:
        self.db.execute("BEGIN IMMEDIATE")
        self.db.execute("INSERT INTO steps (output) VALUES (?)", ("x" * 100,))
        self.db.execute("COMMIT")


def timed(do: Callable[[], object]) -> float:
    began = time.perf_counter()
    do()
    return time.perf_counter() - began


class Room:
    """A project with its service."""

    def __init__(self, folder: Path) -> None:
        self.project = folder / "project"
        self.workflows = self.project / ".segue" / "workflows"
        self.workflows.mkdir(parents=True)
        self.state = folder / "state"
        self.database = paths.project_state(paths.StateHome(self.state, "--state"), self.project)
        paths.prepare(self.database.parent)
        self.service = Service(self.project, self.database, SystemClock())

    def write(self, name: str, text: str, **values: Any) -> None:
        (self.workflows / f"{name}.py").write_text(text.format(name=name, **values))

    def start(self, name: str, session: str, **hooks: Any) -> Runner:
        key = SessionKey("bench", session)
        loaded = self.service.load(find(name, self.project, self.project))
        authority = self.service.attach(key, instance="bench", reason="bench")
        run = self.service.prepare(
            loaded,
            {},
            actor=Actor(Who.PERSON, key),
            origin=key,
            launch_id=session,
            authority=authority,
        ).run
        runner = self.service.runner(run, authority, loaded.worker, loaded=True, **hooks)
        runner.evaluator.ready(run, runner.memory)
        return runner

    def segue(self, *words: str) -> list[str]:
        where = ["--project", str(self.project), "--state", str(self.state)]
        return [str(Path(sys.executable).with_name("segue")), *words, *where]


def chain(folder: Path, rounds: int = 9) -> list[Figure]:
    """Chains of 200 compute steps beside 200 floors.

    Each round has new databases, as a new project has: a commit that makes its log longer takes
    twice as long as one that uses it again. The second pair has logs that are used again.
    """
    news, used = Pair(), Pair()
    for number in range(rounds):
        room, floor = Room(folder / f"chain{number}"), Floor(folder / f"chain{number}")
        for pair in (news, used):
            room.write("chain", CHAIN, last=100)
            runner = room.start("chain", f"chain{id(pair)}")
            pair.add(timed(runner.advance) / 200, floor.mean(200))
            room.start("chain", f"more{id(pair)}").advance()
            floor(1000)
    return [
        news.figure("compute step, in a chain of 200", "floor", 2.5),
        used.figure("  the same, logs in use", "floor", None),
    ]


def growth(room: Room, floor: Floor) -> Figure:
    """A step after 2,000 others beside one after 10, each in floors that were measured with it."""
    room.write("long", CHAIN, last=1010)
    steps: dict[str, list[float]] = {"early": [], "late": []}
    floors: dict[str, list[float]] = {"early": [], "late": []}
    begun, done = time.perf_counter(), 0

    def step(*_: Any) -> None:
        nonlocal begun, done
        took = time.perf_counter() - begun
        done += 1
        if 10 < done <= 210 or 1800 < done <= 2000:
            part = "early" if done <= 210 else "late"
            steps[part].append(took)
            floors[part].append(timed(floor.commit))
        begun = time.perf_counter()

    room.write("chain", CHAIN, last=100)  # both with logs that are used again
    room.start("chain", "before").advance()
    floor(1000)
    room.start("long", "long", on_step=step).advance()
    early, late = (median(steps[part]) / median(floors[part]) for part in steps)
    return Figure("step 2,000, in its floors", late, "step 10", early, 1.2)


def answer(folder: Path, rounds: int = 4, count: int = 200) -> list[Figure]:
    """From an accepted answer to the next prompt; databases as for `chain`."""
    news, used = Pair(), Pair()
    for number in range(rounds):
        room, floor = Room(folder / f"answer{number}"), Floor(folder / f"answer{number}")
        room.write("asking", ASKING)
        for pair in (news, used):
            runner = room.start("asking", f"asking{id(pair)}")
            standing = runner.advance()
            for step in range(count):
                assert standing.request is not None
                began = time.perf_counter()
                runner.submit(standing.request.id, {"more": True, "text": f"answer {step}"})
                standing = runner.advance()
                pair.add(time.perf_counter() - began, timed(floor.commit))
            runner.close()
            room.write("chain", CHAIN, last=100)
            room.start("chain", f"more{id(pair)}").advance()
            floor(1000)
    return [
        news.figure("answer to next prompt", "floor", 4),
        used.figure("  the same, logs in use", "floor", None),
    ]


def resume(folder: Path, rounds: int = 9) -> list[Figure]:
    """A fresh process after SIGKILL with 500 steps done, to the next step's body.

    Once with a workflow that has a model, as most have, and once with one that has none: only
    the first has to wait for pydantic.
    """
    plain, model, one = Pair(), Pair(), Pair()
    rooms = {}
    for name, text in (("plain", PLAIN), ("model", RESUMED)):
        room = rooms[name] = Room(folder / name)
        room.write(name, text, last=250)
        _until_body(room.segue("rehearse", name, "--keep"), room.project / "bodies", 1)
    for number in range(rounds):
        times = {}
        for name, room in rooms.items():
            run = room.service.latest_runs(1)[0].id
            bodies = room.project / "bodies"
            times[name] = _until_body(room.segue("resume", run), bodies, number + 2)
        pydantic = timed(lambda: _python("import pydantic"))
        plain.add(times["plain"], pydantic)
        model.add(times["model"], pydantic)
        one.add(times["model"], timed(lambda: _python(MODEL)))
    for room in rooms.values():
        _nothing_again(room)
    name = "resume with 500 steps done"
    return [
        plain.figure(name, "import pydantic", 2.5),
        model.figure("  of a workflow with a model", "import pydantic", 2.5),
        one.figure("  the same", "one BaseModel defined", None),
    ]


def _nothing_again(room: Room) -> None:
    with room.service.store.read() as db:
        again, done = db.execute(
            "SELECT count(*) - count(DISTINCT node || visit), count(*) FROM attempts"
            " WHERE state IN ('ok', 'failed')"
        ).fetchone()
    assert (again, done) == (0, 500), "no done step was run again"


def _until_body(command: list[str], bodies: Path, lines: int) -> float:
    """Start a command, wait for a step's body, kill it; give the seconds to the body."""
    began = time.monotonic_ns()
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(command, stdin=quiet, stdout=quiet, start_new_session=True)
    while not bodies.exists() or bodies.read_text().count("\n") < lines:
        if process.poll() is not None:
            raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    return (int(bodies.read_text().splitlines()[-1]) - began) / 1e9


def _python(code: str) -> None:
    subprocess.run([sys.executable, "-c", code], check=True)


def _quietly(command: list[str]) -> None:
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def listing(folder: Path, rounds: int = 9) -> Figure:
    """`segue runs` beside 2,000 finished runs of 10 steps, and beside none."""
    empty, full = Room(folder / "empty"), Room(folder / "full")
    full.write("ten", CHAIN, last=5)
    for room in (empty, full):
        room.service.store.data_version()
    full.start("ten", "ten").advance()
    _multiply(full.database, 2000)
    ours, theirs = [], []
    for _ in range(rounds):
        theirs.append(timed(lambda: _quietly(empty.segue("runs"))))
        ours.append(timed(lambda: _quietly(full.segue("runs"))))
    return Figure("segue runs, 2,000 kept", median(ours), "none kept", median(theirs), 1.3)


def _multiply(database: Path, count: int) -> None:
    """Copy a finished run, its steps and its events, under other ids."""
    with closing(sqlite3.connect(database)) as db, db:
        tables = {"runs": ("pk", "id"), "attempts": ("run",), "events": ("run",)}
        columns = {
            table: [row[1] for row in db.execute(f"PRAGMA table_info({table})")] for table in tables
        }
        for pk in range(2, count + 1):
            for table, (first, *_) in tables.items():
                fresh = {first: str(pk), "id": f"'run-{pk:08}'"}
                names = [name for name in columns[table] if table != "events" or name != "pk"]
                picked = ", ".join(fresh.get(name, name) for name in names)
                db.execute(
                    f"INSERT INTO {table} ({', '.join(names)})"
                    f" SELECT {picked} FROM {table} WHERE {first} = 1"
                )


def version(room: Room, rounds: int = 21) -> Figure:
    """`segue --version`."""
    command = [room.segue()[0], "--version"]
    ours, theirs = [], []
    for _ in range(rounds):
        theirs.append(timed(lambda: _python("pass")))
        ours.append(timed(lambda: _quietly(command)))
    return Figure("segue --version", median(ours), "python -c pass", median(theirs), 3)


def size(folder: Path, steps: int = 2000) -> float:
    """Bytes of database per compute step."""
    room = Room(folder)
    room.write("chain", CHAIN, last=steps // 2)
    runner = room.start("chain", "size")
    before = _bytes(room.service)
    runner.advance()
    return (_bytes(room.service) - before) / steps


def _bytes(service: Service) -> int:
    with service.store.read() as db:
        pages: int = db.execute("PRAGMA page_count").fetchone()[0]
        each: int = db.execute("PRAGMA page_size").fetchone()[0]
        return pages * each


def show(figures: list[Figure], per_step: float) -> None:
    head = ("figure", "measured", "beside", "measured", "ratio", "limit")
    lines = [head]
    for f in figures:
        plain = f.name.startswith("step 2,000")
        ours, theirs = ((f"{x:.2f}" if plain else f"{x * 1000:.3f} ms") for x in (f.ours, f.theirs))
        limit = "" if f.limit is None else _limit(f.ratio, f.limit)
        lines.append((f.name, ours, f.reference, theirs, f"{f.ratio:.2f}", limit))
    limit = _limit(per_step, 1000)
    lines.append(("database per compute step", f"{per_step:.0f} bytes", "", "", "", limit))
    widths = [max(len(line[at]) for line in lines) for at in range(6)]
    for number, line in enumerate(lines):
        print(
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        )
        if number == 0:
            print("  ".join("-" * width for width in widths))


def _limit(value: float, most: float) -> str:
    return f"{most:g}  {'holds' if value <= most else 'OVER'}"


def main() -> int:
    # As installed: a checkout that is run with PYTHONDONTWRITEBYTECODE would compile each time.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    for part in ("segue", "session", "plugin", "builtins"):
        compileall.compile_dir(HERE.parent / part, quiet=2)
    core()
    for name in () if "--core" in sys.argv else OTHERS:
        if (HERE / name).exists():
            print(f"\n{name}\n", flush=True)
            subprocess.run([sys.executable, str(HERE / name)], check=False)
    return 0


def core() -> None:
    print("load {:.1f} {:.1f} {:.1f}\n".format(*os.getloadavg()), flush=True)
    folder = Path(tempfile.mkdtemp(prefix="segue-bench-"))
    try:
        room, floor = Room(folder / "room"), Floor(folder)
        figures = [
            *chain(folder),
            growth(room, floor),
            *answer(folder),
            *resume(folder),
            listing(folder / "listing"),
            version(room),
        ]
        show(figures, size(folder / "size"))
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    raise SystemExit(main())
