"""`segue state`: where a project's state lives and why; look it over; copy it."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from segue.session.errors import NotFound, UsageError
from segue.session.store import health

from .. import workspace

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Callable

    from ..workspace import Workspace

_WHY: Final = {
    "--state": "given with --state",
    "SEGUE_STATE_DIR": "set by the environment variable SEGUE_STATE_DIR",
    "config": "set by state_dir in the user's config.toml",
    "default": "the user's state folder; state_dir in config.toml or --state moves it",
}


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "what",
        choices=tuple(_DO),
        help="path: print the folder and why it is that one; verify: look the database over;"
        " backup: copy it to a file while it is in use",
    )
    parser.add_argument("file", nargs="?", type=Path, help="for backup: the new file")
    workspace.add_arguments(parser)


def run(args: Namespace) -> int:
    if args.file is not None and args.what != "backup":
        raise UsageError(f"segue state {args.what} takes no file")
    return _DO[args.what](workspace.workspace_of(args), args.file)


def _path(where: Workspace, _file: Path | None) -> int:
    print(where.database.parent)
    made = "" if where.has_state else "; nothing is kept there yet"
    print(f"  {_WHY[where.home.why]}{made}")
    for warning in where.home.warnings:
        workspace.warn(warning)
    return 0


def _verify(where: Workspace, _file: Path | None) -> int:
    if not where.has_state:
        print(f"{where.database}: nothing is kept here yet")
        return 0
    with where.store() as store:
        found = health.examine(store)
    if not found.faults:
        print(f"{where.database}: ok")
        print(
            f"  schema {found.schema}, {found.runs:,} runs, {found.blobs:,} blobs,"
            f" {found.digests:,} digests that each have theirs"
        )
        return 0
    for fault in found.faults:
        print(f"{where.database}: {fault}")
    print(
        f"segue: {len(found.faults)} faults: restore a copy made by `segue state backup`",
        file=sys.stderr,
    )
    return 1


def _backup(where: Workspace, file: Path | None) -> int:
    if not where.has_state:
        raise NotFound(f"{where.database}: nothing is kept here yet, so there is nothing to copy")
    target = file or where.database.with_name(time.strftime("backup-%Y%m%d-%H%M%S.sqlite3"))
    with where.store() as store:
        health.backup(store, target)
    print(target)
    return 0


_DO: Final[dict[str, Callable[[Workspace, Path | None], int]]] = {
    "path": _path,
    "verify": _verify,
    "backup": _backup,
}
