"""What `segue doctor` looks at: each check says what it found, and a fix where there is one.

A check is a function of the workspace; the list below is all of them. A fix is made only when it
is asked for, and its check is made again after it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from importlib import import_module, metadata
from typing import TYPE_CHECKING, Final

from segue import __version__
from segue.session import trust
from segue.session.errors import SegueError
from segue.session.outlook import outlook
from segue.session.roster import roster
from segue.session.store import health

from . import asking
from .installs import HOSTS, Host

if TYPE_CHECKING:
    from .installs.plan import Plan
    from .workspace import Workspace

_NEEDED: Final = ("pygls", "lsprotocol", "pydantic", "platformdirs", "tree-sitter")
_VERSION_SECONDS: Final = 20


class Level(StrEnum):
    """How a finding is to be read."""

    OK = "ok"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at.

    Attributes:
        check: A stable name for programs.
        say: What was found.
        todo: What a person can do about it, a command where there is one.
        fix: Does it; only for what is safe and undone by `segue uninstall`.
    """

    check: str
    level: Level
    say: str
    todo: str = ""
    fix: Callable[[], None] | None = None

    def to_json(self) -> dict[str, object]:
        return {
            "check": self.check,
            "level": str(self.level),
            "message": self.say,
            "todo": self.todo or None,
            "fixable": self.fix is not None,
        }


def examine(where: Workspace) -> Iterator[Finding]:
    """Look at everything, in the order in which a person would."""
    for check in CHECKS:
        try:
            yield from check(where)
        except SegueError as error:
            yield Finding(check.__name__.strip("_"), Level.ERROR, str(error))


def _segue(_where: Workspace) -> Iterator[Finding]:
    version = ".".join(map(str, sys.version_info[:3]))
    yield Finding("segue", Level.OK, f"Segue {__version__} on Python {version}, {sys.executable}")
    for name in _NEEDED:
        try:
            metadata.version(name)
        except metadata.PackageNotFoundError:
            todo = f"{sys.executable} -m pip install {name}"
            yield Finding("packages", Level.ERROR, f"{name} is not installed", todo)


def _state(where: Workspace) -> Iterator[Finding]:
    home = where.home
    yield Finding("state", Level.OK, f"state lives in {home.path} ({home.why})")
    for warning in home.warnings:
        yield Finding("state", Level.WARNING, warning)
    if not where.has_state:
        yield Finding("project", Level.INFO, f"{where.root}: nothing was run here yet")
        return
    mode = where.database.stat().st_mode & 0o777
    if mode & 0o077:
        todo = f"chmod 600 {where.database}"
        say = f"{where.database} can be read by others ({mode:o})"
        yield Finding("state", Level.ERROR, say, todo, lambda: where.database.chmod(0o600))
    with where.store() as store:
        found = health.examine(store)
    if found.faults:
        todo = "`segue state backup`, then restore a copy"
        yield Finding("database", Level.ERROR, "; ".join(found.faults), todo)
    else:
        yield Finding("database", Level.OK, f"{where.database} is sound")


def _project(where: Workspace) -> Iterator[Finding]:
    if not (where.root / ".segue" / "workflows").is_dir():
        todo = "`segue new NAME` writes a first workflow"
        yield Finding("project", Level.INFO, f"{where.root} has no workflows of its own", todo)
    elif trust.is_trusted(where.home.path, where.root):
        yield Finding("trust", Level.OK, f"{where.root} is trusted: its workflows may run")
    else:
        say = f"{where.root} is not trusted: its workflows run only where the host trusts it"
        yield Finding("trust", Level.INFO, say, "`segue trust` in a terminal of your own")


def _hosts(where: Workspace) -> Iterator[Finding]:
    for key, host in HOSTS.items():
        yield from _host(where, key, host)


def _host(where: Workspace, key: str, host: Host) -> Iterator[Finding]:
    module = import_module(f".installs.{host.module}", __package__)
    program = shutil.which(host.program)
    found = f"{host.name} {_version(program)}" if program else f"{host.name} is not on the PATH"
    plans: list[tuple[str, Plan]] = [(s, module.plan(s, where.root)) for s in host.scopes]
    states = [(scope, plan, plan.state()) for scope, plan in plans]
    there = [item for item in states if item[2] != "missing"]
    if not there:
        level = Level.INFO
        yield Finding(key, level, f"{found}; Segue is not put into it", f"segue install {key}")
    for scope, plan, state in there:
        if state == "current":
            say = f"{found}; Segue is in it for the {scope}: type {host.say}"
            yield Finding(key, Level.OK, say)
        else:
            say = f"{found}; what is in it for the {scope} is of another version of Segue"
            todo = f"segue install {key} --scope {scope}"
            yield Finding(key, Level.WARNING, say, todo, plan.apply)


def _version(program: str) -> str:
    """Ask a program for its version; its own answer, or nothing."""
    try:
        done = subprocess.run(
            [program, "--version"],
            capture_output=True,
            text=True,
            timeout=_VERSION_SECONDS,
            check=False,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "PI_OFFLINE": "1", "PI_SKIP_VERSION_CHECK": "1"},
        )
    except (OSError, subprocess.TimeoutExpired):
        return "(does not tell its version)"
    lines = (done.stdout or done.stderr).strip().splitlines()
    return f"({lines[0][:60]})" if lines else "(does not tell its version)"


def _sessions(where: Workspace) -> Iterator[Finding]:
    if not where.has_state:
        return
    with asking.looking(where) as look:
        for entry in roster(look.db):
            held = "attached" if entry.attached else "not attached"
            run = "" if entry.run is None else f"; run {entry.run.run.id} {entry.run.status.word}"
            yield Finding("session", Level.INFO, f"session {entry.row.key}: {held}{run}")
            if entry.run is None or entry.run.run.ended_at:
                continue
            stands = outlook(look.db, entry.run.run).status
            if stands.reason:
                say = f"run {entry.run.run.id} waits: {stands.detail or stands.reason}"
                yield Finding("run", Level.WARNING, say, stands.next_step or "")


CHECKS: Final = (_segue, _state, _project, _hosts, _sessions)
