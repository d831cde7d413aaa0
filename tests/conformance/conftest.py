"""Worlds for the tests of this folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from segue.testing.conformance import World, local_world

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """One project, hosts and servers in this process."""
    with local_world(tmp_path) as made:
        yield made
