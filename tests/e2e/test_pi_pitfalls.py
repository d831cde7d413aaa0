"""Each pitfall of Pi as a host, reproduced: the number of it is in each docstring.

Their list is with the glue's design; pitfalls 6 (print mode) and 7 (compaction) are also in
`test_pi.py` and `test_pi_branches.py`.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from .lane import NODES, Lane, dialog, good
from .pi_rpc import FLAGS, Pi, environment
from .provider import Hang, Move, Say, Seen, Use, open_step
from .terminal import Terminal

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.e2e

HELPER = Path(__file__).with_name("pi_helper.ts")
START_SECONDS = 45
"""Pi waits ten seconds for a server; the rest is a busy machine."""


def beside(lane: Lane) -> Pi:
    """Start a Pi in which another extension hears of everything after Segue."""
    folder = lane.home / ".pi" / "agent" / "extensions"
    (folder / "zz-helper.ts").write_text(HELPER.read_text("utf-8"), "utf-8")
    return lane.pi()


def shows(pi: Pi, word: str, since: int = 0) -> int:
    return pi.wait(
        lambda item: item.get("method") == "setStatus" and word in str(item.get("statusText", "")),
        since,
    )


def asked(pi: Pi, title: str, since: int = 0) -> dict[str, Any]:
    at = pi.wait(lambda item: dialog(item, "confirm") and item["title"] == title, since)
    return pi.said[at - 1]


def entries(pi: Pi) -> list[str]:
    """Give the ids of Segue's messages in the session, each as often as it is there."""
    found = pi.ask("get_entries")["data"]["entries"]
    ours = [e for e in found if e["type"] == "custom_message" and e["customType"] == "segue"]
    return [e["details"]["id"] for e in ours]


def steps_done(lane: Lane) -> list[str]:
    return [n for (n,) in lane.rows("SELECT node FROM attempts WHERE state = 'ok' ORDER BY step")]


class Until:
    """Does its move in a step while the test has not let it go on; then it is a good model."""

    def __init__(self, node: str, move: Move) -> None:
        self.node, self.move, self.over = node, move, False

    def __call__(self, seen: Seen) -> Move:
        step = open_step(seen)
        first = seen.last["role"] != "tool"
        return (
            self.move if step and step[0] == self.node and first and not self.over else good(seen)
        )


def test_1_and_5_a_message_is_seen_when_pi_shows_it_and_joins_the_run_that_ends(
    lane: Lane,
) -> None:
    """Pitfall 1: the proof is `message_end` and the entry. Pitfall 5: six steps are one run."""
    pi = lane.pi()
    since = pi.prompt("/workflow chain the parser")
    at = shows(pi, "completed", since)
    pi.settled(since)
    shown = [
        item["message"]["details"]["id"]
        for item in pi.said[since:]
        if item["type"] == "message_end" and item["message"].get("customType") == "segue"
    ]
    seen = lane.rows("SELECT id FROM messages WHERE kind = 'step' AND state = 'seen' ORDER BY pk")
    assert shown == [name for (name,) in seen] == entries(pi)
    assert len(shown) == len(NODES)
    assert not [i for i in pi.said[since:at] if i["type"] == "agent_settled"], "a gap"


def test_2_an_abort_with_a_message_queued_says_nothing_twice(lane: Lane) -> None:
    """Pitfall 2: Pi may lose it, or say it after a later prompt. Either way each is said once."""

    def script(seen: Seen) -> Move:
        move = good(seen)
        step = open_step(seen)
        return Say("HOLD it") if step and step[0] == "two" and move == Say("done with it") else move

    lane.script = script
    pi = beside(lane)
    since = pi.prompt("/workflow chain the parser")
    held = asked(pi, "at the end", since)
    pi.send("abort")
    pi.answer(held, confirmed=True)
    pi.settled(since)
    lane.script = good
    pi.settled(pi.prompt("just a question"))
    state = lane.run_state()
    assert state[0] == "paused", state
    since = pi.prompt("/workflow resume")
    shows(pi, "completed", since)
    assert steps_done(lane) == list(NODES)
    said = entries(pi)
    assert len(said) == len(set(said))


def test_3_a_persons_prompt_on_its_way_to_the_model_is_not_overtaken(lane: Lane) -> None:
    """Pitfall 3, T5: the step waits until the prompt is in the conversation, then it comes."""
    pi = beside(lane)
    since = pi.prompt("/workflow gate")
    at = pi.wait(lambda item: dialog(item, "select"), since)
    pi.prompt("SLOW question")
    held = asked(pi, "before the model", at)
    pi.answer(pi.said[at - 1], value="ship")
    shows(pi, "running", at)
    assert not lane.provider.seen
    pi.answer(held, confirmed=True)
    shows(pi, "completed", at)
    assert "SLOW question" in lane.provider.seen[0].texts("user")[0]
    assert lane.provider.seen[0].texts("user")[-1].count("STEP") == 0
    assert [node for node, _ in lane.provider.steps()] == ["go"]


def test_3_a_prompt_that_another_extension_takes_holds_nothing_up(lane: Lane) -> None:
    """Pitfall 3: no turn follows such a prompt, so Segue does not wait for one forever."""
    pi = beside(lane)
    pi.prompt("HANDLED elsewhere")
    since = pi.prompt("/workflow chain the parser")
    shows(pi, "completed", since)
    lane.said_once()


def test_4_and_5_an_abort_during_a_tool_call_is_an_abort_and_nothing_restarts(
    lane: Lane,
) -> None:
    """Pitfall 4: one version calls it an error. Pitfall 5: no turn comes before the person acts."""
    script = Until("two", Use({"command": "sleep 300"}, "bash"))
    lane.script = script
    pi = lane.pi()
    since = pi.prompt("/workflow chain the parser")
    pi.wait(lambda item: item["type"] == "tool_execution_start" and item["toolName"] == "bash")
    pi.ask("abort")
    shows(pi, "paused", since)
    assert lane.run_state()[0] == "paused"
    script.over = True
    count = len(lane.provider.seen)
    pi.settled(pi.prompt("just a question"))
    assert len(lane.provider.seen) == count + 1
    assert lane.rows("SELECT kind FROM messages WHERE kind = 'fallback'") == []
    since = pi.prompt("/workflow resume")
    shows(pi, "completed", since)
    assert steps_done(lane) == list(NODES)


def test_6_json_mode_runs_a_workflow_to_its_end(lane: Lane) -> None:
    """Pitfall 6: json mode exits when handlers return, so the handler waits."""
    done = lane.once("--mode", "json")
    assert done.returncode == 0, done.stderr
    said = [json.loads(line) for line in done.stdout.splitlines()]
    assert sum(item["type"] == "agent_settled" for item in said) == 1
    assert lane.run_state() == ("completed", None)
    lane.said_once()


def test_7_leaving_the_steps_branch_pauses(lane: Lane) -> None:
    """Pitfall 7, T4: the id stays, no `session_start` comes; resume says the step again there."""
    thinking = threading.Event()
    script = Until("two", Hang(thinking, Say("let us talk")))
    lane.script = script
    pi = beside(lane)
    pi.settled(pi.prompt("hello"))
    since = pi.prompt("/workflow chain the parser")
    lane.provider.wait(4)
    # After a person's own prompt nobody reminds (T7): the step is open in an idle session.
    pi.ask("follow_up", message="and the tests?")
    script.move = Say("they are fine")
    thinking.set()
    pi.settled(since)
    assert lane.run_state() == ("running", None)
    since = pi.prompt("/leave")
    shows(pi, "paused", since)
    script.over = True
    since = pi.prompt("/workflow resume")
    shows(pi, "completed", since)
    assert steps_done(lane) == list(NODES)
    assert not [t for t in lane.provider.seen[-1].texts("user") if "STEP one" in t]


def test_8_a_run_started_first_thing_survives_a_session_that_was_never_written(
    lane: Lane,
) -> None:
    """Pitfall 8: Pi writes the file with its first reply; a person moves the run (O2, O8)."""
    thinking = threading.Event()
    script = Until("one", Hang(thinking))
    lane.script = script
    pi = lane.pi()
    pi.prompt("/workflow chain the parser")
    lane.provider.wait(1)
    session = pi.session()
    pi.kill()
    script.over = True
    thinking.set()
    again = lane.pi("--continue")
    assert again.session() != session
    (run,) = lane.rows("SELECT id FROM runs")[0]
    since = again.prompt("/workflow status")
    again.wait(lambda item: item.get("method") == "notify", since)
    again.settled(again.prompt("hello"))
    assert lane.provider.steps()[1:] == []
    since = again.prompt(f"/workflow rebind {run}")
    again.wait(lambda item: item.get("method") == "notify", since)
    since = again.prompt("/workflow resume")
    shows(again, "completed", since)
    assert steps_done(lane) == list(NODES)


def test_9_and_10_every_way_to_another_session_leaves_one_server_that_works(lane: Lane) -> None:
    """Pitfall 9: twice `session_start` is once. Pitfall 10: nothing stale is used afterwards."""
    pi = lane.pi()
    pi.settled(pi.prompt("hello"))
    file = pi.ask("get_state")["data"]["sessionFile"]
    ways: list[tuple[str, dict[str, str]]] = [
        ("new_session", {}),
        ("switch_session", {"sessionPath": file}),
        ("clone", {}),
    ]
    for way, fields in ways:
        made = pi.ask(way, **fields)
        assert made["success"], made
        assert len([p for p in lane.servers(pi) if "lsp" in p.cmdline()]) == 1, way
        since = pi.prompt("/workflow chain the parser")
        shows(pi, "completed", since)
        pi.settled(since)
    (message,) = pi.ask("get_fork_messages")["data"]["messages"][:1]
    assert pi.ask("fork", entryId=message["entryId"])["success"]
    since = pi.prompt("/workflow chain the parser")
    shows(pi, "completed", since)
    sessions = lane.rows("SELECT session, state FROM runs")
    assert len(set(sessions)) == len(sessions) == 4
    assert not [item for item in pi.said if item["type"] == "extension_error"]
    assert pi.close() == 0
    assert "stale" not in (lane.home / "pi-stderr.log").read_text("utf-8")


def test_10_a_new_session_in_the_middle_of_a_step_leaves_the_run_behind(lane: Lane) -> None:
    """Pitfall 10, O2: the run stands where it was; back there it goes on."""
    thinking = threading.Event()
    script = Until("two", Hang(thinking))
    lane.script = script
    pi = lane.pi()
    pi.settled(pi.prompt("hello"))
    file = pi.ask("get_state")["data"]["sessionFile"]
    pi.prompt("/workflow chain the parser")
    lane.provider.wait(4)
    pi.ask("new_session")
    script.over = True
    thinking.set()
    pi.settled(pi.prompt("hello again"))
    assert not any("STEP" in t for t in lane.provider.seen[-1].texts("user"))
    pi.ask("switch_session", sessionPath=file)
    since = pi.prompt("/workflow resume")
    shows(pi, "completed", since)
    assert steps_done(lane) == list(NODES)
    assert not [item for item in pi.said if item["type"] == "extension_error"]


def serve(lane: Lane, code: str) -> None:
    """Put another program in the server's place."""
    file = lane.home / ".pi" / "agent" / "extensions" / "segue" / "segue.json"
    real = json.loads(file.read_text("utf-8"))["command"]
    place = lane.home / "server.py"
    place.write_text(f"import os, sys, subprocess, time\nREAL = {real!r}\n{code}", "utf-8")
    file.write_text(json.dumps({"command": [sys.executable, str(place)]}), "utf-8")


def test_11_a_hung_server_does_not_keep_pi_from_starting(lane: Lane) -> None:
    """Pitfall 11: it is declared dead, it is killed, and Pi says so."""
    serve(lane, "time.sleep(1000)")
    began = time.monotonic()
    pi = lane.pi()
    pi.notified("the Segue server did not start")
    assert time.monotonic() - began < START_SECONDS
    pi.settled(pi.prompt("hello"))
    assert not [p for p in lane.servers(pi) if "server.py" in " ".join(p.cmdline())]


def test_11_a_server_that_keeps_dying_is_started_three_times_more_then_pi_says_so(
    lane: Lane,
) -> None:
    """Pitfall 11: with a growing pause, at the next use; Pi itself lives on."""
    serve(lane, "open(os.environ['HOME'] + '/starts', 'a').write(f'{time.time()}\\n')\nsys.exit(3)")
    pi = lane.pi()
    for _ in range(3):
        since = pi.prompt("/workflow chain the parser")
        pi.notified("the Segue server did not start", since)
    since = pi.prompt("/workflow chain the parser")
    at = pi.notified("cannot be kept running", since)
    assert "it ended with code 3" in pi.said[at - 1]["message"]
    assert "segue doctor" in pi.said[at - 1]["message"]
    starts = [float(t) for t in (lane.home / "starts").read_text().split()]
    assert len(starts) == 4
    assert starts[-1] - starts[-2] > 2
    pi.settled(pi.prompt("hello"))


NOISE = r"""
os.write(2, b"NOISE on stderr\n")
os.write(1, b"NOISE\r\n\r\nNOISE on stdout\r\n")
os.execv(REAL[0], REAL)
"""


def test_12_noise_before_the_servers_frames_does_not_break_them(lane: Lane) -> None:
    """Pitfall 12: what is not a frame is passed over; stderr goes nowhere."""
    serve(lane, NOISE)
    pi = lane.pi()
    since = pi.prompt("/workflow chain the parser")
    shows(pi, "completed", since)
    assert "NOISE" not in (lane.home / "pi-stderr.log").read_text("utf-8")


def test_12_a_server_that_speaks_something_else_does_not_end_pi(lane: Lane) -> None:
    """Pitfall 12: a frame that is no message ends the server, not Pi."""
    serve(lane, "os.write(1, b'Content-Length: 5\\r\\n\\r\\nNOISE')\ntime.sleep(1000)")
    pi = lane.pi()
    pi.notified("the Segue server did not start")
    pi.settled(pi.prompt("hello"))
    assert not [p for p in lane.servers(pi) if "server.py" in " ".join(p.cmdline())]


@pytest.fixture
def terminal(lane: Lane) -> Iterator[Terminal]:
    chain = lane.project / ".segue" / "workflows" / "chain.py"
    shout = "import os\nprint('NOISE')\nos.write(1, b'NOISE')\nos.write(2, b'NOISE')\n"
    chain.write_text(chain.read_text("utf-8").replace("from pydantic", shout + "from pydantic"))
    serve(lane, NOISE)
    name = f"segue-noise-{lane.version}"
    made = Terminal(name, [*lane.command, *FLAGS], lane.project, environment(lane.home))
    yield made
    made.close()


def test_12_noise_of_the_server_and_of_a_workflow_is_not_drawn_over_the_screen(
    lane: Lane, terminal: Terminal
) -> None:
    """Pitfall 12, S3: neither stream reaches the terminal."""
    terminal.wait("mock-model")
    terminal.type("/workflow chain the parser ")
    terminal.wait("the parser")
    terminal.type("Enter")
    screen = terminal.wait("✓ chain completed · step 6")
    assert "NOISE" not in screen
    lane.said_once()
