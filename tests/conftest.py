"""What every test stands on: nobody's home is touched, and nothing depends on time or chance."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from pathlib import Path

# No deadlines: a busy machine is not a bug. In CI the same examples each time, so that a
# failure there is a failure here.
settings.register_profile("fresh", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("same", settings.get_profile("fresh"), derandomize=True, database=None)
# The same examples every time, so that a run says something of the change; the long rounds of
# `make crash` look further.
settings.load_profile("fresh" if os.environ.get("SEGUE_FRESH_EXAMPLES") else "same")


@pytest.fixture(autouse=True)
def nobody(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give each test an empty home, and no state folder: asking for the default raises."""
    home = tmp_path_factory.mktemp("home", numbered=True)
    for name in ("SEGUE_STATE_DIR", "XDG_STATE_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / ".config"))
    return home
