"""The pytest plugin: the fixture `segue_rehearse`, there as soon as Segue is installed."""

from __future__ import annotations

from functools import partial

import pytest

from . import rehearse

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from .rehearsed import Rehearsed


@pytest.fixture
def segue_rehearse(tmp_path: Path, pytestconfig: pytest.Config) -> Callable[..., Rehearsed]:
    """`segue.testing.rehearse` for workflows of pytest's root folder, run in `tmp_path`."""
    return partial(rehearse, project=pytestconfig.rootpath, run_in=tmp_path)
