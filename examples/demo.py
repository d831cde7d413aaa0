"""`make demo`: a rehearsal is killed half-way, goes on in a fresh process, and loses nothing.

The example's run is kept in a temporary state folder. The first process kills itself with
SIGKILL when the model has a certain step before it; a second one goes on. Then the two journals
are laid side by side. A witness that is added to a copy of the example counts how often the
body of each node ran.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

from segue.plugin.views.page import Page
from segue.plugin.views.statuses import step_cell
from segue.plugin.views.tables import Cell, table

HERE = Path(__file__).parent
ANSWERS = HERE / "release_notes.answers.json"
UNTIL = ("editing/look", 1)
"""The node, and which of its answers (from 0) the first process does not live to give."""
WITNESS = """
import os as _os


def _watched(node):
    body = node.fn

    def watched(ctx):
        with open(_os.environ["SEGUE_DEMO_WITNESS"], "a") as file:
            file.write(f"{node.name}\\n")
        return body(ctx)

    if body is not None:
        node.fn = watched


for _node in [*release_notes.declared, *proofread.declared]:
    _watched(_node)
"""


class Room(NamedTuple):
    """The demo's own folder: a project with the example, its state, and the witness's file."""

    project: Path
    state: Path
    witness: Path


def main() -> int:
    if sys.argv[1:2] == ["--doomed"]:
        return doomed(sys.argv[2:])
    page = Page()
    with tempfile.TemporaryDirectory(prefix="segue-demo-") as folder:
        room = furnish(Path(folder))
        heading(page, "A run of ten steps and more, in a process that will be killed")
        words = ["release-notes", "2.0.0", "--keep", "--answers", str(ANSWERS), "--brief"]
        first = run(room, [str(Path(__file__)), "--doomed", "rehearse", *words])
        run_id = ask(room, "runs")[0]["run_id"]
        before = ask(room, "show", run_id, "--events")
        page.line()
        page.line(page.paint(f"✗ killed by {signal.Signals(-first.code).name}", "bold", "red"))
        heading(page, "A fresh process goes on")
        second = run(room, ["-m", "segue", *go_on(run_id)])
        after = ask(room, "show", run_id, "--events")
        heading(page, "What the two journals say")
        return compare(page, room, before, after, first, second)


# --- the room


def furnish(folder: Path) -> Room:
    """Copy the example into a project of its own and add the witness to it."""
    project = folder / "project"
    shutil.copytree(
        HERE / ".segue", project / ".segue", ignore=shutil.ignore_patterns("__pycache__")
    )
    workflow = project / ".segue" / "workflows" / "release_notes.py"
    workflow.write_text(workflow.read_text("utf-8") + WITNESS, "utf-8")
    return Room(project, folder / "state", folder / "witness")


class Ended(NamedTuple):
    code: int
    pid: int
    seconds: float


def run(room: Room, words: list[str]) -> Ended:
    """Run a command of Segue in the demo's project, its output on this terminal."""
    sys.stdout.flush()
    began = time.monotonic()
    environ = {**os.environ, "SEGUE_DEMO_WITNESS": str(room.witness)}
    where = ["--state", str(room.state), "--project", str(room.project)]
    process = subprocess.Popen([sys.executable, *words, *where], env=environ)
    return Ended(process.wait(), process.pid, time.monotonic() - began)


def ask(room: Room, *words: str) -> Any:
    """Give what a command of Segue says as JSON."""
    where = ["--state", str(room.state), "--project", str(room.project)]
    command = [sys.executable, "-m", "segue", *words, "--json", *where]
    return json.loads(subprocess.check_output(command))


def go_on(run_id: str) -> list[str]:
    return ["rehearse", "--resume", run_id, "--answers", str(ANSWERS), "--brief"]


def doomed(words: list[str]) -> int:
    """Be the `segue` command with a model that pulls the plug in the middle of its turn."""
    from segue.plugin import cli, setting
    from segue.session.rehearsal import Scripted

    class PullsThePlug(Scripted):
        def answer(self, node: Any, kind: str, number: int, text: Any) -> Any:
            if (node.path, number) == UNTIL:
                os.kill(os.getpid(), signal.SIGKILL)
            return super().answer(node, kind, number, text)

    setting.Scripted = PullsThePlug  # type: ignore[misc]  # the demo's own model
    return cli.main(words)


# --- the proof


def compare(page: Page, room: Room, before: Any, after: Any, first: Ended, second: Ended) -> int:
    """Lay the run before the kill beside the run at its end; 0 where all of it holds."""
    old = {key(step): step for step in before["steps"] if step["ended_at"]}
    new = {key(step): step for step in after["steps"]}
    table(
        page,
        ("STEP", "NODE", "VISIT", "BEFORE THE KILL", "AT THE END", "SAME"),
        [row(before, step, old) for step in after["steps"]],
    )
    ended = Counter(
        (e["data"]["ended"]["node"], e["data"]["ended"]["visit"])
        for e in after["events"]
        if "ended" in e["data"]
    )
    mounts = 1
    bodies = Counter(room.witness.read_text("utf-8").split())
    visits = Counter(step["node"].rpartition("/")[2] for step in after["steps"])
    kept = [k for k, step in old.items() if new[k]["output"] == step["output"]]
    requests = [asked(run, key(before["steps"][-1])) for run in (before, after)]
    proofs = [
        (first.code == -signal.SIGKILL, f"process {first.pid} was killed by SIGKILL"),
        (second.code == 0, f"process {second.pid} went on: {after['status']}"),
        (len(kept) == len(old), f"{len(kept)} of {len(old)} steps done before kept their outputs"),
        (
            len(ended) - mounts == len(new) and set(ended.values()) == {1},
            f"{len(new)} visits, each ended in the journal exactly once",
        ),
        (
            all(count == visits[name] for name, count in bodies.items()),
            f"{bodies.total()} bodies ran in the two workers, none of them a second time",
        ),
        (requests[0] == requests[1], "the request that was open at the kill was the one answered"),
        (verified(room), "segue state verify finds nothing wrong"),
    ]
    page.line()
    for holds, text in proofs:
        sign, colour = ("✓", "green") if holds else ("✗", "red")
        page.line(f"  {page.paint(sign, colour)} {text}")
    good = all(holds for holds, _ in proofs)
    said = "nothing was lost, nothing was repeated" if good else "THE PROMISE DOES NOT HOLD"
    page.line()
    page.line(page.paint(said, "bold", "green" if good else "red"))
    return 0 if good else 1


def key(step: Any) -> tuple[str, int]:
    return step["node"], step["visit"]


def row(before: Any, step: Any, old: dict[tuple[str, int], Any]) -> tuple[Cell, ...]:
    was = next((s for s in before["steps"] if key(s) == key(step)), None)
    then, then_colour = step_cell(was["outcome"]) if was else ("", "dim")
    now, now_colour = step_cell(step["outcome"])
    same = key(step) in old and old[key(step)]["output"] == step["output"]
    return (
        Cell(f"{step['step']:>4}"),
        Cell(step["node"], ("bold",)),
        Cell(f"{step['visit']:>5}"),
        Cell(then, (then_colour,)),
        Cell(now, (now_colour,)),
        Cell("same output" if same else "", ("green",)),
    )


def asked(run: Any, step: tuple[str, int]) -> list[str]:
    """Give the requests that were opened for a step."""
    number = next(s["step"] for s in run["steps"] if key(s) == step)
    return [
        e["data"]["request"]
        for e in run["events"]
        if e["kind"] == "asked" and e["data"]["step"] == number
    ]


def verified(room: Room) -> bool:
    where = ["--state", str(room.state), "--project", str(room.project)]
    command = [sys.executable, "-m", "segue", "state", "verify", *where]
    return subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode == 0


def heading(page: Page, text: str) -> None:
    page.line()
    page.line(page.paint(f"══ {text} ".ljust(page.columns, "═"), "bold"))
    page.line()


if __name__ == "__main__":
    raise SystemExit(main())
