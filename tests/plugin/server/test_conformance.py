"""Each scenario of the conformance kit, through the messages of the protocol."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import pytest

from segue.testing.conformance import World, local_world
from segue.testing.conformance.local import LocalWire
from segue.testing.conformance.scenarios import PROVES, SCENARIOS
from tests.plugin.server.wired import ProtocolWire

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """One project, hosts and servers in this process, the protocol between them."""
    monkeypatch.setenv("SEGUE_STATE_DIR", str(tmp_path / "home"))
    with local_world(tmp_path) as made:
        assert isinstance(made.wire, LocalWire)
        facts = {f.name: getattr(made.wire, f.name) for f in dataclasses.fields(LocalWire)}
        made.wire = ProtocolWire(**facts)
        yield made


@pytest.mark.parametrize(
    "name", [pytest.param(name, id=f"{'-'.join(PROVES[name])}-{name}") for name in SCENARIOS]
)
def test_scenario(world: World, name: str) -> None:
    SCENARIOS[name](world)
