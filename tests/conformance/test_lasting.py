"""What a power failure may take back is seen by nobody before a write that lasts (D1)."""

from __future__ import annotations

import json
import sqlite3
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import pytest

from segue.testing.conformance import PUSH, SHAPES, local_world

from .test_crashes import review, tour

if TYPE_CHECKING:
    from pathlib import Path

    from segue.session.hosts import Offer
    from segue.testing.conformance import Shape


class Watched(sqlite3.Connection):
    """A connection that notes which commits have not reached the disk."""

    loose: ClassVar[list[str]] = []
    """What such commits told, since the last that has."""
    ever: ClassVar[set[str]] = set()
    lasting = True
    event: str | None = None

    def execute(self, sql: str, *args: Any) -> sqlite3.Cursor:
        done = super().execute(sql, *args)
        if sql.startswith("PRAGMA synchronous"):
            self.lasting = not sql.endswith("NORMAL")
        elif sql.startswith("INSERT INTO events"):
            kind, data = args[0][3], json.loads(args[0][5])
            self.event = f"{kind} {data['kind']}" if kind == "asked" else kind
        elif sql == "COMMIT" and self.event is not None:
            if self.lasting:
                Watched.loose.clear()
            else:
                Watched.loose.append(self.event)
                Watched.ever.add(self.event)
            self.event = None
        return done


@pytest.fixture(autouse=True)
def _watched(monkeypatch: pytest.MonkeyPatch) -> None:
    Watched.loose.clear()
    Watched.ever.clear()
    monkeypatch.setattr(sqlite3, "connect", partial(sqlite3.connect, factory=Watched))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_d1_nothing_is_said_while_a_write_may_still_be_taken_back(
    tmp_path: Path, shape: Shape
) -> None:
    early: list[tuple[str, list[str]]] = []

    def handed(offer: Offer) -> None:
        if Watched.loose:
            early.append((offer.kind, list(Watched.loose)))

    with local_world(tmp_path) as world:
        host = world.host("a", shape)
        told = host.on_handed

        def both(offer: Offer) -> None:
            handed(offer)
            if told is not None:
                told(offer)

        host.on_handed = both
        whole = shape.capabilities.wake and shape.capabilities.reply_text
        (tour if whole else review)(world, host)
    assert not early


def test_d1_only_what_nobody_outside_has_seen_may_be_taken_back(tmp_path: Path) -> None:
    """What a person is asked lasts at once: they see it without an offer."""
    with local_world(tmp_path) as world:
        tour(world, world.host("a", PUSH))
    assert Watched.ever <= {"asked output", "asked reply", "turn", "progress"}
    assert {"asked output", "turn"} <= Watched.ever
