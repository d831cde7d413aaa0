"""One module per command: `add_arguments(parser)` and `run(args) -> int`.

The table below is the only list of commands; the command line imports the one it needs.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Command(NamedTuple):
    """One verb of the command line."""

    module: str
    help: str
    example: str


COMMANDS: Final[dict[str, Command]] = {
    "new": Command("new", "write a workflow to start from", "segue new review"),
    "check": Command(
        "check", "what is wrong with workflow files, before they run", "segue check examples --fix"
    ),
    "graph": Command("graph", "draw a workflow, or the path of a run", "segue graph review"),
    "explain": Command(
        "explain", "what a workflow does, asks, changes and costs", "segue explain review"
    ),
    "list": Command("list", "workflows that can be run here", "segue list --json"),
    "rehearse": Command(
        "rehearse",
        "run a workflow against a scripted agent, or you",
        "segue rehearse review 'the login page' --answers .segue/workflows/review.answers.json",
    ),
    "runs": Command("runs", "the latest runs of this project", "segue runs --json"),
    "show": Command("show", "one run, step by step", "segue show RUN --events"),
    "status": Command("status", "a run at a glance, or all under way", "segue status RUN"),
    "why": Command("why", "why a run stands still, and what to do", "segue why RUN"),
    "sessions": Command(
        "sessions", "conversations of this project, and who holds them", "segue sessions --json"
    ),
    "start": Command(
        "start",
        "queue a workflow for a conversation",
        "segue start review 'the login page' --session pi:6f1d",
    ),
    "pause": Command("pause", "hold a run after the step under way", "segue pause RUN"),
    "resume": Command("resume", "go on with a run that waits", "segue resume RUN"),
    "cancel": Command("cancel", "end a run", "segue cancel RUN"),
    "answer": Command(
        "answer", "answer what a run asks a person", "segue answer REQUEST approve --text 'ship it'"
    ),
    "rebind": Command(
        "rebind", "move a run to another conversation", "segue rebind RUN --session pi:6f1d"
    ),
    "trust": Command("trust", "let this project's workflows run", "segue trust"),
    "state": Command("state", "where state lives; verify and back it up", "segue state path"),
    "doctor": Command("doctor", "is everything in place, and what to type", "segue doctor --fix"),
    "install": Command("install", "put Segue into Pi, Neovim, ...", "segue install pi"),
    "uninstall": Command("uninstall", "take Segue out of another program", "segue uninstall pi"),
    "lsp": Command("lsp", "the language server, for editors and agent hosts", "segue lsp"),
}
