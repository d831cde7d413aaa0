"""Writes the parts of the documents that are made from the code: `python docs/draw.py`.

Each lies between two markers, `<!-- NAME: made by docs/draw.py -->` and `<!-- /NAME -->`. A test
makes them again and compares.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from segue.plugin.commands import COMMANDS
from segue.session import limits
from segue.session.engine import state

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT: Final = Path(__file__).parents[1]
LIMITS: Final = (
    (
        "AGENT_SECONDS",
        "s",
        "a turn of an `agent`, `decision` or `assistant`, unless `timeout=` says",
    ),
    ("COMPUTE_SECONDS", "s", "a `compute`, unless `timeout=` says otherwise"),
    ("ACTION_SECONDS", "s", "an `action` or `shell`, unless `timeout=` says otherwise"),
    ("CALLBACK_SECONDS", "s", "a prompt or any other short callback"),
    ("LOAD_SECONDS", "s", "importing a workflow (`[worker] load_seconds` in `.segue/config.toml`)"),
    ("MAX_STEPS", "steps", "a run, unless `max_steps=` says otherwise"),
    ("PROMPT_CHARS", "characters", "one prompt"),
    ("ANSWER_CHARS", "characters", "an answer of the model"),
    ("NESTING", "levels", "how deep an answer may nest"),
    ("HUMAN_TEXT_CHARS", "characters", "the text beside a person's choice"),
    ("OUTPUT_CHARS", "characters", "a callback's output as JSON"),
    ("CAPTURE_CHARS", "characters", "what is kept of each stream of a command: the last of it"),
    ("UPDATES_PER_SECOND", "a second", "progress reports that are kept"),
    ("UPDATE_CHARS", "characters", "one progress report"),
    ("SOURCE_BYTES", "bytes", "a workflow's file"),
)


def diagram(table: dict[Any, dict[Any, Any]], starts: tuple[Any, ...]) -> str:
    """Draw a transition table; events that lead the same way share an arrow."""
    lines = ["```mermaid", "stateDiagram-v2", *(f"    [*] --> {start}" for start in starts)]
    for origin, moves in table.items():
        arrows: dict[Any, list[str]] = {}
        for event, target in moves.items():
            arrows.setdefault(target, []).append(str(event))
        lines += [f"    {origin} --> {to}: {', '.join(how)}" for to, how in arrows.items()]
        if not moves:
            lines.append(f"    {origin} --> [*]")
    return "\n".join([*lines, "```"])


def limit_table() -> str:
    rows = [f"| {what} | {_number(getattr(limits, name))} {unit} |" for name, unit, what in LIMITS]
    return "\n".join(["| what | at most |", "| --- | --- |", *rows])


def _number(value: float) -> str:
    return f"{int(value) if value == int(value) else value:,}"


def command_table() -> str:
    rows = [f"| `segue {n}` | {c.help} | `{c.example}` |" for n, c in COMMANDS.items()]
    return "\n".join(["| command | what it is for | for example |", "| --- | --- | --- |", *rows])


def demo_graph() -> str:
    """Draw the demo's workflow as `segue graph` does where there is no terminal."""
    done = subprocess.run(
        [sys.executable, "-m", "segue", "graph", "release-notes"],
        cwd=ROOT / "examples",
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "COLUMNS": "80", "PYTHONUTF8": "1"},
    )
    return f"```text\n{done.stdout.rstrip()}\n```"


PARTS: Final[tuple[tuple[str, str, Callable[[], str]], ...]] = (
    ("README.md", "commands", command_table),
    ("README.md", "graph", demo_graph),
    ("docs/AUTHORING.md", "limits", limit_table),
    (
        "docs/ARCHITECTURE.md",
        "run",
        lambda: diagram(state.RUN, (state.RunState.QUEUED, state.RunState.RUNNING)),
    ),
    ("docs/ARCHITECTURE.md", "step", lambda: diagram(state.STEP, (state.StepState.RUNNING,))),
    (
        "docs/ARCHITECTURE.md",
        "request",
        lambda: diagram(state.REQUEST, (state.RequestState.OPEN,)),
    ),
)


def renewed(text: str, name: str, part: str) -> str:
    """Give a document with one part made again.

    Raises:
        ValueError: Its markers are missing.
    """
    opening, closing = f"<!-- {name}: made by docs/draw.py -->", f"<!-- /{name} -->"
    pattern = re.compile(f"{re.escape(opening)}.*?{re.escape(closing)}", re.DOTALL)
    made, found = pattern.subn(lambda _: f"{opening}\n\n{part}\n\n{closing}", text)
    if found != 1:
        raise ValueError(f"the markers of '{name}' are there {found} times")
    return made


def main() -> None:
    """Write every part into its document."""
    for file, name, make in PARTS:
        path = ROOT / file
        path.write_text(renewed(path.read_text("utf-8"), name, make()), "utf-8")


if __name__ == "__main__":
    main()
