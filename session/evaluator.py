"""A loaded worker for one run: started when first needed, told what it has to know, replaced
when it has died.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Protocol

from . import limits
from .canonical import Json
from .engine.budget import Budget
from .errors import LoadFailed
from .store import definitions, steps
from .store.values import text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .clock import Clock
    from .engine.child import Worker
    from .engine.memory import Memory
    from .process import ProcessIdentity
    from .store.records import Run
    from .store.store import Store


class Spawn(Protocol):
    """Starts a worker process."""

    def __call__(self) -> Worker: ...


_PART_CHARS: Final = 8_000_000
"""Outputs told in one message, beyond the first: many large ones do not fit into one frame."""


def _parts(outputs: list[tuple[str, str]]) -> Iterator[dict[str, Json]]:
    part: dict[str, Json] = {}
    size = 0
    for path, text in outputs:
        if part and size + len(text) > _PART_CHARS:
            yield part
            part, size = {}, 0
        part[path] = json.loads(text)
        size += len(text)
    if part:
        yield part


@dataclass(slots=True)
class Evaluator:
    """Evaluates author code of one run. Raises `WorkerDied` and `WorkerTimedOut` as they come.

    `worker` may be given already running, and already `loaded` with this run's sources.
    """

    store: Store
    clock: Clock
    spawn: Spawn
    worker: Worker | None = None
    loaded: bool = False
    load_seconds: float = limits.LOAD_SECONDS
    _begun: bool = False
    _told: list[list[Json]] = field(default_factory=list)

    def ask(
        self,
        message: dict[str, Any],
        budget: Budget,
        *,
        on_progress: Callable[[dict[str, Any]], object] | None = None,
        on_tick: Callable[[], None] | None = None,
    ) -> dict[str, Any]:
        """Make one call of the run's worker, which is `ready`: loading it is not on the budget."""
        assert self.worker is not None
        return self.worker.call(
            self._with_news(message), budget, on_progress=on_progress, on_tick=on_tick
        )

    def _with_news(self, message: dict[str, Any]) -> dict[str, Any]:
        if not self._told:
            return message
        told, self._told = self._told, []
        return {**message, "told": told}

    def ready(self, run: Run, memory: Memory) -> Worker:
        """Give the worker, loaded and told of what was done so far.

        Raises:
            LoadFailed: The pinned copy of the workflow cannot run any more.
        """
        if self.worker is None or self.worker.closed:
            self.worker, self.loaded, self._begun = self.spawn(), False, False
        if not self.loaded:
            self._load(self.worker, run)
        if not self._begun:
            self._begin(self.worker, run, memory)
        return self.worker

    def _load(self, worker: Worker, run: Run) -> None:
        with self.store.read() as db:
            pinned = definitions.sources(db, run)
        options = json.loads(run.launch)
        packages = set(options.get("packages", ()))
        message = {
            "do": "load",
            "project": run.project,
            "folder": options.get("folder", run.project),
            "module": options["module"],
            "pinned": [[m, f, text, m in packages] for m, f, text in pinned],
        }
        reply = worker.call(message, Budget(self.clock, self.load_seconds))
        if "ok" not in reply:
            raise LoadFailed(reply.get("failed") or reply.get("message") or "the copy cannot run")
        self.loaded = True

    def _begin(self, worker: Worker, run: Run, memory: Memory) -> None:
        with self.store.read() as db:
            value = json.loads(text_of(db, run.input))
            by_step = {step: path for path, step in memory.outputs.items()}
            outputs = [
                (by_step[step], "null" if output is None else text_of(db, output))
                for step, output in steps.outputs(db, run.pk, list(by_step))
            ]
        message = {"do": "begin", "project": run.project, "run_id": run.id, "input": value}
        worker.call(message, Budget(self.clock, self.load_seconds))
        for part in _parts(outputs):
            worker.call({"do": "more", "outputs": part}, Budget(self.clock, self.load_seconds))
        self._begun = True
        self._told = []

    def tell(self, what: str, path: str, *value: Json) -> None:
        """Let the worker know before its next call; a new worker learns it from the store."""
        if self._begun:
            self._told.append([what, path, *value])

    def identity(self) -> ProcessIdentity | None:
        """Give the process group that author code runs in."""
        return None if self.worker is None else self.worker.identity

    def kill(self) -> None:
        """End the worker and everything that it started."""
        if self.worker is not None:
            self.worker.kill()
            self.worker = None
        self._begun = self.loaded = False
