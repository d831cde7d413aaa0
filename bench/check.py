"""How long the text of a 500-node workflow takes to read, to re-read and to check.

Run it as `python bench/check.py`. Each figure is a ratio to a bare parse that was measured in
turn with it, so a slow or busy machine changes both. Absolute times are shown beside it.
"""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from segue.session.workflow.rules import check_module
from segue.session.workflow.source.document import Document
from segue.session.workflow.source.library import Library
from segue.session.workflow.source.module import Module
from segue.session.workflow.source.syntax import parse, reparse
from segue.session.workflow.source.text import Edit

if TYPE_CHECKING:
    from collections.abc import Callable

NODES = 500
ROUNDS = 25
HEAD = '''"""A generated workflow."""

from typing import Literal

from pydantic import BaseModel

from segue import Context, Workflow


class Task(BaseModel):
    task: str


big = Workflow("big", input=Task, start="n0", max_steps={steps})

'''
REVIEW = '''
class Verdict{i}(BaseModel):
    """What step {i} says."""

    route: Literal["clean", "issues_found"]
    reason: str
    count: int = 0


@big.agent(output=Verdict{i}, status="reviewing part {i}")
def n{i}(ctx: Context[Task]) -> str:
    """Review one part."""
    return (
        f"Review part {i} of the change for: {{ctx.input.task}}. "
        "Say what is wrong and where, and route on it."
    )


big.switch(n{i}, on="route", cases={{"clean": "n{done}", "issues_found": "n{fix}"}})
'''
FIX = """
@big.agent(status="fixing part {i}")
def n{i}(ctx: Context[Task]) -> str:
    return f"Fix what was found in part {i}: {{ctx.output(n{review}).reason}} (try {{ctx.visit}})"


big.edge(n{i}, {onward})
"""
DONE = """
@big.compute
def n{i}(ctx: Context[Task]) -> dict[str, str]:
    verdict = ctx.output(n{review})
    lines = [line.strip() for line in verdict.reason.splitlines() if line.strip()]
    earlier = ctx.latest({earlier}, None)
    return {{"verdict": verdict.route, "why": "; ".join(lines), "earlier": str(earlier)}}


big.edge(n{i}, {onward})
"""


def generate(nodes: int = NODES) -> bytes:
    """Give a workflow of reviews, each with a fix that is checked and a step that sums up."""
    parts = [HEAD.format(steps=nodes * 2)]
    for i in range(nodes):
        review = i - i % 4
        last = i + 1 >= nodes
        onward = "None" if last else f'"n{i + 1}"'
        if i % 4 == 0:
            parts.append(REVIEW.format(i=i, done=min(i + 3, nodes - 1), fix=min(i + 1, nodes - 1)))
        elif i % 4 == 3:
            earlier = f"n{i - 4}" if i > 4 else "n0"
            parts.append(DONE.format(i=i, review=review, earlier=earlier, onward=onward))
        else:
            onward = f"n{review}" if i % 4 == 2 else onward
            parts.append(FIX.format(i=i, review=review, onward=onward))
    return "".join(parts).encode()


def measure(work: dict[str, Callable[[], object]]) -> dict[str, float]:
    """Give the median milliseconds of each, measured in turns.

    Without the garbage collector, as `timeit` does: its pauses depend on what else is alive.
    """
    times: dict[str, list[float]] = {name: [] for name in work}
    for _ in range(ROUNDS):
        for name, run in work.items():
            gc.collect()
            gc.disable()
            start = time.perf_counter()
            run()
            times[name].append((time.perf_counter() - start) * 1000)
            gc.enable()
    return {name: median(each) for name, each in times.items()}


def in_process() -> dict[str, float]:
    """Measure the model, from scratch and after one keystroke in a callback's text."""
    data = generate()
    path = Path("big.py")
    before = Document.read(path, data)
    module = Library().put(before)
    at = data.index(b"Fix what was found in part 257") + 3
    edit = Edit(at, at, b"x")
    return measure(
        {
            "parse": lambda: parse(data),
            "model": lambda: Library().put(Document.read(path, data)),
            "reparse": lambda: reparse(before.tree, before.text, before.text.edited(edit), edit),
            "keystroke": lambda: Module(before.edited(edit), module.library, module),
            "rules": lambda: check_module(Library().put(before)),
        }
    )


def command(file: Path) -> tuple[float, float]:
    """Run `segue check` once; give milliseconds and the peak of its memory in MB."""
    start = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "segue", "check", str(file)], stdout=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, "the generated workflow has an error"
    unit = 1024 if sys.platform == "linux" else 1024 * 1024
    return (time.perf_counter() - start) * 1000, usage.ru_maxrss / unit


def commands() -> dict[str, float]:
    """Measure the whole command against the same on a workflow of four nodes."""
    with tempfile.TemporaryDirectory() as folder:
        big, small = Path(folder, "big.py"), Path(folder, "small") / "big.py"
        small.parent.mkdir()
        big.write_bytes(generate())
        small.write_bytes(generate(4))
        pairs = [(command(small), command(big)) for _ in range(9)]
    return {
        "start-up": median(little[0] for little, _ in pairs),
        "check": median(large[0] for _, large in pairs),
        "memory": max(large[1] for _, large in pairs),
    }


def main() -> None:
    """Print the figures and what each may be at most."""
    data = generate()
    lines = data.count(b"\n")
    ms = in_process() | commands()
    keystroke = ms["keystroke"] / ms["reparse"]
    figures = {
        "model from scratch, in bare parses": (ms["model"] / ms["parse"], 4.0),
        "model after a keystroke, in bare reparses": (keystroke, 3.0),
        "segue check beyond start-up, ms": (ms["check"] - ms["start-up"], 250.0),
        "peak memory of segue check, MB": (ms["memory"], 60.0),
    }
    print(f"{NODES} nodes, {len(data):,} bytes, {lines:,} lines\n")
    for name, (value, most) in figures.items():
        print(f"{name:44} {value:8.1f}   at most {most:g}")
    print(
        "\nmilliseconds: "
        + ", ".join(f"{name} {value:.1f}" for name, value in ms.items() if name != "memory")
    )
    if "--json" in sys.argv:
        print(json.dumps({name: value for name, (value, _) in figures.items()}))


if __name__ == "__main__":
    main()
