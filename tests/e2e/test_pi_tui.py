"""Pi as a person sees it: a real terminal, typed into."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from .lane import Lane, good
from .pi_rpc import FLAGS, environment
from .provider import Hang, Move, Seen, open_step, submit
from .terminal import Terminal

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.e2e


@pytest.fixture
def terminal(lane: Lane) -> Iterator[Terminal]:
    made = Terminal(
        f"segue-{lane.version}", [*lane.command, *FLAGS], lane.project, environment(lane.home)
    )
    yield made
    made.close()


def command(terminal: Terminal, text: str) -> None:
    """Type something and send it once it stands there whole; the space ends the completion.

    Pi 0.84 takes nothing while it starts, and says so: then it is sent again.
    """
    terminal.type(text + " ")
    terminal.wait(text)
    terminal.type("Enter")
    terminal.send_again_while("Startup is still in progress", text)


def test_a_run_is_started_completed_and_watched_in_the_terminal(
    lane: Lane, terminal: Terminal
) -> None:
    """The card, the status line and a line for each node; the command completes."""
    thinking = threading.Event()

    def script(seen: Seen) -> Move:
        step = open_step(seen)
        if not thinking.is_set() and step and step[0] == "three" and seen.last["role"] != "tool":
            return Hang(thinking, submit(seen, {"words": "said three"}))
        return good(seen)

    lane.script = script
    terminal.wait("mock-model")
    command(terminal, "hello there")
    terminal.wait("hello to you")
    terminal.type("/workflow cha")
    terminal.wait("Six steps, each with")
    terminal.type("Tab")
    terminal.wait("/workflow chain")
    command(terminal, " the parser")
    screen = terminal.wait(lambda s: "● three" in s and "◆ chain · step · step 3" in s)
    assert "✓ two" in screen
    assert "· four" in screen
    assert "▶ chain running · three · step 3" in screen
    assert "Output schema" not in screen  # the card is compact; expanded it shows the contract
    thinking.set()
    terminal.wait("✓ chain completed · step 6")
    lane.said_once()


def test_a_person_decides_in_the_terminal(lane: Lane, terminal: Terminal) -> None:
    """H1: Pi's own dialog shows the question and its choices."""
    terminal.wait("mock-model")
    command(terminal, "/workflow gate")
    screen = terminal.wait("→ ship")
    assert "Ship it now?" in screen
    terminal.type("Enter")
    terminal.wait("✓ gate completed")
    assert any("because ship by human" in t for t in lane.provider.seen[0].texts("user"))


def test_escape_in_the_terminal_pauses_the_run(lane: Lane, terminal: Terminal) -> None:
    """T4: nothing is said until the person resumes."""
    thinking = threading.Event()

    def script(seen: Seen) -> Move:
        step = open_step(seen)
        if not thinking.is_set() and step and step[0] == "two" and seen.last["role"] != "tool":
            return Hang(thinking)
        return good(seen)

    lane.script = script
    terminal.wait("mock-model")
    command(terminal, "/workflow chain the parser")
    terminal.wait("● two")
    lane.provider.wait(3)
    terminal.type("Escape")
    terminal.wait("chain paused")
    thinking.set()
    command(terminal, "/workflow resume")
    terminal.wait("✓ chain completed · step 6")
    assert lane.run_state() == ("completed", None)
