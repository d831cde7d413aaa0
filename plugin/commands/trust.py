"""`segue trust`: let this project's workflow files run, as a person (S1, H1)."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from segue.session import paths, trust
from segue.session.workflow.discovery import workflows_folder

from .. import asking, workspace
from ..terminal_person import refuse_agents, terminal

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from pathlib import Path

    from ..terminal_person import Terminal


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--revoke", action="store_true", help="take the trust back; asks nothing")
    asking.add_json(parser)
    workspace.add_arguments(parser)


def run(args: Namespace) -> int:
    where = workspace.workspace_of(args)
    root, home = where.root, where.home.path
    if args.revoke:
        trust.revoke(home, root)
        _said(args, root, trusted=False)
        return 0
    refuse_agents(os.environ)
    if not trust.is_trusted(home, root):
        with terminal(os.environ) as tty:
            _show(tty, root)
            tty.approve(root.name, "trust this project")
        paths.prepare(where.database.parent, top=home)
        trust.trust(home, root)
    _said(args, root, trusted=True)
    return 0


def _show(tty: Terminal, root: Path) -> None:
    folder = workflows_folder(root)
    files = sorted(file.name for file in folder.glob("*.py"))
    tty.show(f"Project {root}")
    tty.show(f"  {len(files)} files in {folder}: {', '.join(files) or 'none yet'}")
    tty.show("Trusted, these and what comes into that folder later run with your rights, whenever")
    tty.show("a workflow is started there. Read them first.")


def _said(args: Namespace, root: Path, *, trusted: bool) -> None:
    if args.json:
        print(json.dumps({"project": str(root), "trusted": trusted}, ensure_ascii=False))
    else:
        print(f"{root} is {'' if trusted else 'not '}trusted")
