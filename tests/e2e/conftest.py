"""What the lanes of a real Pi stand on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .lane import Lane

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

VERSIONS = ("1.6.0", "0.84.2")
"""The main lane and the compatibility lane."""


@pytest.fixture(params=VERSIONS)
def lane(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Lane]:
    """Give a clean home with Segue in a Pi of each version."""
    made = Lane(tmp_path, request.param)
    yield made
    made.close()
