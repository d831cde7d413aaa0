"""What every command stands on: the project, where its state lives, and the service of both."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from segue.session import paths

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator

    from segue.session.clock import Clock
    from segue.session.engine.child import Worker
    from segue.session.paths import StateHome
    from segue.session.service import Service
    from segue.session.store.store import Store


class Workspace(NamedTuple):
    """A project and its database, which need not exist yet."""

    root: Path
    home: StateHome
    database: Path

    def service(self, clock: Clock | None = None) -> Service:
        """Open the project's state, made where it is missing."""
        for warning in self.home.warnings:
            warn(warning)
        paths.prepare(self.database.parent, top=self.home.path)
        return service_of(self.root, self.database, clock)

    def store(self) -> Store:
        """Open the project's state to look at it: much less to import than the service."""
        from segue.session.clock import SystemClock
        from segue.session.store.store import Store

        for warning in self.home.warnings:
            warn(warning)
        return Store(self.database, SystemClock())

    def nothing_kept(self, run: str) -> str:
        return f"there is no run {run!r}: nothing was kept in {self.root} yet"

    @property
    def has_state(self) -> bool:
        """Whether anything was ever kept: a command that only looks makes nothing."""
        return self.database.exists()


def add_arguments(parser: ArgumentParser) -> None:
    """Give a command the options that say where."""
    where = parser.add_argument_group("where")
    where.add_argument("--project", metavar="DIR", type=Path, help="the project's root")
    where.add_argument("--state", metavar="DIR", type=Path, help="keep state in DIR")


def project_of(args: Namespace) -> Path:
    return paths.project_root(Path.cwd(), args.project)


def workspace_of(args: Namespace) -> Workspace:
    """Give the project that a command is about and where its state lives."""
    root = project_of(args)
    home = paths.state_home(os.environ, args.state)
    return Workspace(root, home, paths.project_state(home, root))


@contextmanager
def worker(root: Path) -> Iterator[Worker]:
    """Start a worker at once: it imports what it needs while the caller does the same."""
    from segue.session import settings
    from segue.session.clock import SystemClock
    from segue.session.engine.child import Worker

    made = Worker(SystemClock(), settings.read(root).python or None)
    try:
        yield made
    finally:
        made.kill()


def service_of(root: Path, database: Path, clock: Clock | None = None) -> Service:
    """Give a project's service and say what is wrong with its settings."""
    from segue.session.service import Service

    service = Service(root, database, clock)
    for warning in service.settings.warnings:
        warn(warning)
    return service


def warn(message: str) -> None:
    """Say something beside the result, which stdout belongs to."""
    print(f"segue: warning: {message}", file=sys.stderr)
