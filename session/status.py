"""A run's status as every view shows it: one word of a closed set, why, and what can be done (D7).

No view works it out from a state: it asks here. `owner_gone` is the one reason that is proved
when it is read (D8); every other is a stored fact.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from .engine.state import RunState
from .process import is_gone

if TYPE_CHECKING:
    from .store.attachments import Attachment
    from .store.records import Run

_LEFT: Final = ("detached", "the process that drove it has let go of it")
_GONE: Final = ("owner_gone", "the process that drove it is gone; nothing that it finished is lost")


@dataclass(frozen=True, slots=True)
class Status:
    """What a view shows of a run.

    Attributes:
        word: One of the run's states.
        reason: Why it stands still or how it ended badly; None where nothing needs saying.
        detail: The same for people, in a sentence.
        next_step: A command that goes on, None where there is nothing to do.
    """

    word: RunState
    reason: str | None
    detail: str | None
    next_step: str | None


def status(run: Run, owner: Attachment | None) -> Status:
    """Give the status of a run whose session was last held by `owner`."""
    word = RunState(run.state)
    if word is RunState.RUNNING and abandoned(owner):
        why = _LEFT if owner is None or owner.detached_at is not None else _GONE
        return Status(RunState.WAITING, *why, _resume(run))
    return Status(word, run.reason, run.detail, _next_step(run, word))


def abandoned(owner: Attachment | None) -> bool:
    """Whether nobody drives the session any more: let go of, or proved gone (D3)."""
    return owner is None or owner.detached_at is not None or is_gone(owner.process) is True


def _next_step(run: Run, word: RunState) -> str | None:
    if word is RunState.AMBIGUOUS:
        return f"{_resume(run)} --effect done|again|failed"
    return _resume(run) if word in (RunState.WAITING, RunState.PAUSED) else None


def _resume(run: Run) -> str:
    return f"segue resume {run.id}"
