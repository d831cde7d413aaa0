"""`segue rebind RUN --session KEY`: move a run to another conversation, as a person (O2, H1)."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from segue.session.errors import UsageError
from segue.session.sessions import parse_key

from .. import asking, workspace
from ..terminal_person import refuse_agents, terminal

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from segue.session.outlook import Outlook
    from segue.session.ownership import SessionKey

    from ..terminal_person import Terminal


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", help="the run's id, or the beginning of it")
    parser.add_argument("--session", metavar="KEY", help="where it goes: HOST:ID; never guessed")
    asking.add_json(parser)
    workspace.add_arguments(parser)


def run(args: Namespace) -> int:
    refuse_agents(os.environ)
    where = asking.opened(args, f"run {args.run!r}")
    with where.service() as service:
        outlook = service.outlook(args.run)
        if args.session is None:
            raise UsageError(_which(outlook))
        key = parse_key(args.session)
        service.check_rebind(outlook.run, key, asking.ELSEWHERE)
        with terminal(os.environ) as tty:
            _show(tty, outlook, key)
            tty.approve(outlook.run.workflow, "move the run")
        # With the run as it was shown: whatever has changed since is a conflict (H2).
        service.rebind(outlook.run, key, asking.ELSEWHERE)
        after = service.outlook(outlook.run.id)
    asking.said(args, after, f"run {after.run.id} ({after.run.workflow}) belongs to {key} now")
    return 0


def _which(outlook: Outlook) -> str:
    named = [f"{s.session} ({s.kind})" for s in outlook.successors]
    came = f"; out of its own came {', '.join(named)}" if named else ""
    return f"say where run {outlook.run.id} goes with --session KEY: `segue sessions` lists{came}"


def _show(tty: Terminal, outlook: Outlook, key: SessionKey) -> None:
    run, status = outlook.run, outlook.status
    tty.show(f"{run.workflow}, run {run.id}, {status.word}, {outlook.done} steps done")
    tty.show(f"  from session {run.origin} ({outlook.proof})")
    tty.show(f"  to session   {key}")
    tty.show("It waits there until somebody resumes it. What is done stays done.")
