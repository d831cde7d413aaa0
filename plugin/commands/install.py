"""`segue install HOST`: put the glue into another program, after showing what that writes."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from segue.session.errors import SegueError, UsageError

from .. import workspace
from ..installs import HOSTS

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from ..installs.plan import Plan


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("host", metavar="HOST", choices=tuple(HOSTS), help=", ".join(HOSTS))
    parser.add_argument("--scope", choices=("user", "project"), help="for you, or for one project")
    parser.add_argument("--yes", action="store_true", help="do not ask")
    parser.add_argument("--dry-run", action="store_true", help="only show what would be written")
    parser.add_argument("--project", metavar="DIR", type=Path, help="the project's root")


def run(args: Namespace) -> int:
    plan = plan_of(args)
    print("\n".join(plan.lines()))
    if args.dry_run:
        return 0
    if plan.state() == "current":
        print(f"{HOSTS[args.host].name} has all of it already.")
        return 0
    confirm("Write this?", yes=args.yes)
    plan.apply()
    host = HOSTS[args.host]
    print(f"Installed. In {host.name}, type {host.say} to begin.")
    print(f"`segue uninstall {args.host}` takes it out again.")
    return 0


def plan_of(args: Namespace) -> Plan:
    """Give the plan that a command line asks for."""
    host = HOSTS[args.host]
    scope = args.scope or host.scopes[0]
    if scope not in host.scopes:
        raise UsageError(f"{host.name} takes --scope {' or '.join(host.scopes)}")
    module = import_module(f"..installs.{host.module}", __package__)
    made: Plan = module.plan(scope, workspace.project_of(args))
    return made


def confirm(question: str, *, yes: bool) -> None:
    """Go on only when the person says so.

    Raises:
        UsageError: There is nobody to ask.
        SegueError: They said no.
    """
    if yes:
        return
    if not sys.stdin.isatty():
        raise UsageError("nobody is here to ask: add --yes to do it, or --dry-run to only look")
    if input(f"{question} [y/N] ").strip().lower() not in ("y", "yes"):
        raise SegueError("nothing was changed")
