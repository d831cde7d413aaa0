"""`segue new NAME`: a workflow to start from, and answers to rehearse it with."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from segue.session.errors import SegueError, UsageError
from segue.session.workflow.discovery import workflows_folder
from segue.session.workflow.names import RESERVED, is_workflow_name, workflow_name

from .. import scaffold, workspace

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="lowercase words joined by '-'")
    workspace.add_arguments(parser)


def run(args: Namespace) -> int:
    name = workflow_name(args.name)
    if not is_workflow_name(name) or name in RESERVED:
        why = "is a word of Segue's own" if name in RESERVED else "is no name for a workflow"
        raise UsageError(f"'{args.name}' {why}: take lowercase words joined by '-'")
    folder = workflows_folder(workspace.project_of(args))
    workflow = folder / f"{name.replace('-', '_')}.py"
    answers = workflow.with_suffix(".answers.json")
    taken = [f for f in (workflow, folder / f"{name}.py", answers) if f.exists()]
    if taken:
        raise SegueError(f"{taken[0]} exists: choose another name, nothing is overwritten")
    _write(workflow, scaffold.workflow(name))
    _write(answers, scaffold.answers())
    shown = [_near(file) for file in (workflow, answers)]
    print(f"wrote {shown[0]}\n      {shown[1]}\n")
    where = [] if args.project is None else ["--project", str(args.project)]
    words = ["segue", "rehearse", name, "the login page", "--answers", shown[1], *where]
    print(f"try it: {shlex.join(words)}")
    return 0


def _write(file: Path, text: str) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("x", encoding="utf-8") as made:  # never over what came meanwhile
            made.write(text)
    except OSError as error:
        raise SegueError(f"{file} cannot be written: {error.strerror}") from error


def _near(file: Path) -> str:
    here = Path.cwd()
    return str(file.relative_to(here)) if file.is_relative_to(here) else str(file)
