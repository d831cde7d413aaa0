"""Frozen rows, as the rest of the core sees them.

What is read row by row is a named tuple: made four times as fast as a frozen dataclass, and so is
its class, which every short command waits for.
"""

from __future__ import annotations

import hashlib
import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from ..ownership import SessionKey

if TYPE_CHECKING:
    from ..canonical import Json


@lru_cache(maxsize=8)
def _hashed(token: bytes) -> bytes:
    return hashlib.sha256(token).digest()


class Authority(NamedTuple):
    """The right to advance a session's runs: epoch and token of its attachment."""

    session: int
    key: SessionKey
    epoch: int
    token: bytes

    def holds(self, epoch: object, token: object) -> bool:
        """Whether a stored epoch and token's hash are this attachment's: it was not taken over."""
        return epoch == self.epoch and token == self.token_hash

    @property
    def token_hash(self) -> bytes:
        return _hashed(self.token)


class Run(NamedTuple):
    """One run, as stored."""

    pk: int
    id: str
    session: int
    workflow: str
    source_ref: str
    definition: bytes
    sources: str
    input: str | bytes
    launch: str
    parent: str | None
    project: str
    segue: str
    state: str
    reason: str | None
    detail: str | None
    revision: int
    step: int
    steps: int
    worker_deaths: int
    asked: str | None
    asked_by: str | None
    output: str | bytes | None
    exit: str | None
    created_at: int
    updated_at: int
    ended_at: int | None
    origin: SessionKey

    def evolve(self, columns: dict[str, Any]) -> Run:
        """Give the run with some columns changed."""
        return self._replace(**columns)


class Attempt(NamedTuple):
    """One try of one visit. `step` numbers the tries of a run: 1, 2, ..."""

    run: int
    step: int
    node: str
    visit: int
    attempt: int
    state: str
    output: str | bytes | None
    reason: str | None
    wake_at: int | None
    active_ms: int
    started_at: int
    ended_at: int | None

    def moved(self, state: str) -> Attempt:
        """Give the try in another state."""
        return self._replace(state=state)


class Request(NamedTuple):
    """A durable question to the outside, addressed only by its id."""

    pk: int
    id: str
    run: int
    step: int
    kind: str
    state: str
    text: str | bytes
    shown: bytes
    deadline: int | None
    rejected: int
    answer: bytes | None
    receipt: str | None
    opened_at: int
    closed_at: int | None

    def receipt_json(self) -> dict[str, Any]:
        value: dict[str, Any] = json.loads(self.receipt or "{}")
        return value


class EventRow(NamedTuple):
    """One row of the journal."""

    revision: int
    kind: str
    actor: str
    data: Json
    at: int
