"""Each scenario of the kit, over the calls of this process."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from segue.testing.conformance.scenarios import PROVES, SCENARIOS

if TYPE_CHECKING:
    from segue.testing.conformance import World


@pytest.mark.parametrize(
    "name", [pytest.param(name, id=f"{'-'.join(PROVES[name])}-{name}") for name in SCENARIOS]
)
def test_scenario(world: World, name: str) -> None:
    SCENARIOS[name](world)
