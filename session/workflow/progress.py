"""How far a step is, as author code reports it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a step is. Segue works out rate and time left; nobody else does."""

    completed: float
    total: float | None = None
    unit: str = ""
    message: str = ""
