"""Evaluates workflow code in this process: a worker without its process, for speed.

Same calls and answers as `engine.child.Worker`; what only a process has (its own time, its own
death) is played: `dies` makes the next calls end as a killed worker's would.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from segue.session.engine.calls import Calls
from segue.session.engine.child import WorkerDied

if TYPE_CHECKING:
    from collections.abc import Callable

    from segue.session.engine.budget import Budget
    from segue.session.process import ProcessIdentity


@dataclass(slots=True)
class _Kept:
    """One module's text, loaded once in this process."""

    bound: Any
    input_type: Any
    reply: dict[str, Any]


_LOADED: dict[tuple[str, str], _Kept] = {}


class _Inline(Calls):
    """Loads each text once and leaves no finder behind."""

    def load(self, message: dict[str, Any]) -> dict[str, Any]:
        pinned, module = message.get("pinned"), message["module"]
        file = Path(message["folder"]) / f"{module.rpartition('.')[2]}.py"
        text = file.read_text("utf-8") if pinned is None else _own(pinned, module)
        kept = _LOADED.get((module, text))
        if kept is None or (pinned is None and "snapshot" not in kept.reply):
            kept = self._afresh(message)
            _LOADED[module, text] = kept
        self._bound = kept.bound
        self._values = type(self._values)(kept.bound, kept.input_type)
        return kept.reply

    def _afresh(self, message: dict[str, Any]) -> _Kept:
        finders, modules = list(sys.meta_path), set(sys.modules)
        sys.modules.pop(message["module"], None)
        try:
            reply = super().load(message)
        finally:
            sys.meta_path[:] = finders
            for name in set(sys.modules) - modules:
                if "." not in name:
                    del sys.modules[name]
        return _Kept(self._bound, self._values.input_type, reply)


def _own(pinned: list[list[Any]], module: str) -> str:
    texts = {name.removeprefix("segue_workflow_"): text for name, _, text, *_ in pinned}
    found: str = texts[module]
    return found


@dataclass(slots=True)
class InlineWorker:
    """A worker that is not a process."""

    dies: Callable[[dict[str, Any]], str | None] | None = None
    """Asked before each call: a text is how the worker dies of it."""
    closed: bool = False
    identity: ProcessIdentity | None = None
    _calls: Calls = field(init=False)
    _progress: list[dict[str, Any]] = field(default_factory=list)
    _posted: dict[str, Any] | None = None

    def __post_init__(self) -> None:
        self._calls = _Inline(lambda message: self._progress.append(message["progress"]))

    def call(
        self,
        message: dict[str, Any],
        budget: Budget,  # noqa: ARG002 - a real worker's
        *,
        on_progress: Callable[[dict[str, Any]], object] | None = None,
        on_tick: Callable[[], None] | None = None,
    ) -> dict[str, Any]:
        """Answer one call; raises `WorkerDied` where the script says so."""
        if on_tick is not None:
            on_tick()
        how = None if self.dies is None else self.dies(message)
        if how is not None or self.closed:
            self.closed = True
            raise WorkerDied(how or "the worker is gone")
        here = Path.cwd()
        try:
            reply = self._calls.answer(message)
        finally:
            os.chdir(here)
        for data in self._progress:
            if on_progress is not None:
                on_progress(data)
        self._progress.clear()
        return reply

    def post(self, message: dict[str, Any]) -> bool:
        """Take a call whose answer is waited for later."""
        self._posted = message
        return True

    def wait(
        self,
        budget: Budget,
        *,
        on_progress: Callable[[dict[str, Any]], object] | None = None,
        on_tick: Callable[[], None] | None = None,
    ) -> dict[str, Any]:
        """Answer what was posted."""
        message, self._posted = self._posted, None
        assert message is not None
        return self.call(message, budget, on_progress=on_progress, on_tick=on_tick)

    def kill(self) -> None:
        self.closed = True
