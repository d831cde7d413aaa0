"""A run started from Neovim's palette into the conversation of a real Pi (issue 6, P-L1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .lane import NODES, Lane
from .neovim import Neovim, environment, install

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.e2e


@pytest.fixture
def nvim(lane: Lane, tmp_path: Path) -> Iterator[Neovim]:
    env = environment(tmp_path) | {"SEGUE_STATE_DIR": str(lane.home / "segue-state")}
    install(env, lane.project)
    made = Neovim(tmp_path, lane.project, env)
    yield made
    made.close()


def test_a_run_from_the_editor_is_worked_on_in_pis_conversation(lane: Lane, nvim: Neovim) -> None:
    """P-L1, O2: queued by a person elsewhere, carried out by the session's own attachment."""
    pi = lane.pi("--session-id", "the-conversation")
    since = pi.settled(pi.prompt("remember the number 42"))
    nvim.open("chain")
    nvim.answer("not trusted", "Trust this project")
    nvim.answer("which session", 1)
    nvim.lua("vim.cmd('Segue run chain the parser')")
    pi.wait(
        lambda item: (
            item.get("method") == "setStatus" and "completed" in str(item.get("statusText", ""))
        ),
        since,
    )
    lane.said_once()
    assert any("number 42" in t for t in lane.provider.seen[-1].texts("user"))
    assert lane.rows("SELECT s.host, s.id FROM runs r JOIN sessions s ON s.pk = r.session") == [
        ("pi", "the-conversation")
    ]
    assert [n for (n,) in lane.rows("SELECT node FROM attempts ORDER BY step")] == list(NODES)
