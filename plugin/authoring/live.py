"""What is known of the latest run of a workflow file: read from the project's state, if any.

Reading makes nothing: without a database there is no live state.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from segue.session.clock import SystemClock
from segue.session.status import status
from segue.session.store import runs, steps
from segue.session.store.store import Store
from segue.session.store.values import text_of
from segue.session.workflow.names import workflow_name

from ..checking import BUILTINS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from segue.session.store.connection import Connection
    from segue.session.store.records import Run

ENDED: Final = frozenset(["completed", "failed", "timed_out", "cancelled"])
_EXCERPT: Final = 300


@dataclass(frozen=True)
class NodeState:
    """The latest visit of a node. `said` is what it gave, or why it did not."""

    visits: int
    state: str
    said: str = ""
    at: bool = False
    """Whether the run stands here now."""


@dataclass(frozen=True)
class RunState:
    """The latest run of a workflow."""

    id: str
    status: str
    reason: str = ""
    steps: int = 0
    next: str = ""
    nodes: Mapping[str, NodeState] = field(default_factory=dict)

    @property
    def alive(self) -> bool:
        return self.status not in ENDED


def references(path: Path) -> tuple[str, ...]:
    """Give what a run may have stored as its source for a file."""
    name = workflow_name(path.stem)
    folder = path.parent
    if folder == BUILTINS:
        origin = "builtin"
    else:
        origin = "project" if folder.parent.name == ".segue" else "user"
    return f"{origin}:{name}", f"path:{path}"


class LiveReader:
    """Looks at one project's state. It belongs to one thread at a time."""

    def __init__(self, database: Path) -> None:
        self._store = Store(database, SystemClock(), read_only=True)

    def close(self) -> None:
        self._store.close()

    def version(self) -> int:
        """A number that changes when any process commits."""
        return self._store.data_version()

    def read(self, paths: Iterable[Path]) -> dict[Path, RunState]:
        """Give the latest run of each file that has one."""
        found: dict[Path, RunState] = {}
        with self._store.read() as db:
            for path in paths:
                run = runs.latest_from(db, references(path))
                if run is not None:
                    found[path] = _state(db, run)
        return found


def _state(db: Connection, run: Run) -> RunState:
    now = status(db, run)
    latest = steps.get(db, run.pk, run.step)
    here = latest.node if latest is not None and latest.ended_at is None else None
    nodes = {
        path: NodeState(visits, state, _said(db, run, path), path == here)
        for path, (visits, state) in steps.by_node(db, run.pk).items()
    }
    why = now.detail or now.explanation or now.reason or ""
    return RunState(run.id, str(now.word), why, run.steps, now.next_step or "", nodes)


def _said(db: Connection, run: Run, path: str) -> str:
    output = steps.latest_output(db, run.pk, path)
    if output is None:
        return ""
    text = text_of(db, output)
    return text if len(text) <= _EXCERPT else text[: _EXCERPT - 1] + "…"
