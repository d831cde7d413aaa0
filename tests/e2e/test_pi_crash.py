"""Random kill -9 of a real Pi, of its server or of a worker in the middle of a run (D2, D6, T2).

`make crash` runs 100 rounds, half of them on each version; `SEGUE_PI_CRASH_ROUNDS` changes that,
`SEGUE_PI_CRASH_SEED` repeats a failure.
"""

from __future__ import annotations

import json
import os
import random
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import psutil
import pytest

from .lane import NODES, Lane

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from .pi_rpc import Pi

pytestmark = pytest.mark.crash

ROUNDS = int(os.environ.get("SEGUE_PI_CRASH_ROUNDS", "100"))
SEED = int(os.environ.get("SEGUE_PI_CRASH_SEED", "0")) or random.SystemRandom().randrange(1, 10**6)
VERSIONS = ("1.6.0", "0.84.2")
WITHIN_SECONDS = 0.08
"""About as long as one request takes: the moment falls anywhere in it."""
TIMES = 6
"""A run goes on after so few words of the person, or it stands still."""


@pytest.fixture(params=VERSIONS)
def lane(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Lane]:
    made = Lane(tmp_path, request.param)
    yield made
    made.close()


def kill(lane: Lane, pi: Pi, what: str) -> None:
    """End one of the three as a crash does; a worker may just not be there."""
    if what == "pi":
        pi.kill()
        return
    mark = "lsp" if what == "server" else "engine.worker"
    for process in lane.servers(pi):
        with suppress(psutil.NoSuchProcess):
            if mark in " ".join(process.cmdline()):
                process.kill()


def shown(item: dict[str, Any]) -> bool:
    """Whether Pi has just come to rest, or the run has."""
    rests = ("completed", "waiting", "paused", "failed", "ambiguous")
    words = str(item.get("statusText", "")).split()
    return item["type"] == "agent_settled" or any(word in rests for word in words)


def finish(lane: Lane, pi: Pi, since: int) -> str:
    """Go on until the run has ended, as a person would who sees where it stands."""
    told = ""
    for _ in range(TIMES):
        state = lane.run_state()
        if state[0] == "completed":
            return told
        if state[0] in ("waiting", "paused"):
            told += f" {state[1] or state[0]}"
            since = pi.prompt("/workflow resume")
        since = pi.wait(shown, since)
    raise AssertionError(f"the run stands {lane.run_state()} after {told}")


def branch(pi: Pi) -> list[str]:
    """Give the ids of Segue's messages on the branch that Pi is on."""
    data = pi.ask("get_entries")["data"]
    known = {entry["id"]: entry for entry in data["entries"]}
    at, found = data["leafId"], []
    while at is not None:
        entry = known[at]
        if entry["type"] == "custom_message" and entry["customType"] == "segue":
            found.append(entry["details"]["id"])
        at = entry["parentId"]
    return found[::-1]


def nothing_lost_or_repeated(lane: Lane, pi: Pi, session: str) -> None:
    """D2: each node accepted once, in order; each request once; each message once at most."""
    (run,) = lane.rows(
        "SELECT r.pk FROM runs r JOIN sessions s ON s.pk = r.session WHERE s.id = ?", session
    )[0]
    accepted = lane.rows(
        "SELECT node, visit, attempt FROM attempts WHERE run = ? AND state = 'ok' ORDER BY step",
        run,
    )
    assert [(node, visit) for node, visit, _ in accepted] == [(node, 1) for node in NODES]
    requests = lane.rows("SELECT state, count(*) FROM requests WHERE run = ? GROUP BY 1", run)
    assert requests == [("answered", len(NODES))]
    events = lane.rows("SELECT data FROM events WHERE run = ? AND kind = 'step'", run)
    assert len({data for (data,) in events}) == len(events)
    said = branch(pi)
    assert len(said) == len(set(said)), said
    # Not only the last request: Pi may be killed after step six was accepted and say no more.
    texts = [t for seen in lane.provider.seen for t in seen.texts("user") if "STEP six" in t]
    assert "after said five" in texts[-1], json.dumps(texts)


def test_a_crash_at_any_moment_loses_and_repeats_nothing(lane: Lane) -> None:
    """D2, D6, T2, T11: whoever dies, whenever, the run ends as if nobody had."""
    dice = random.Random(f"{SEED} {lane.version}")
    pi: Pi | None = None
    for number in range(ROUNDS // len(VERSIONS)):
        if pi is None:
            pi = lane.pi()
        else:
            assert pi.ask("new_session")["success"]
        session = pi.session()
        pi.settled(pi.prompt("hello"))  # so that the session has a file (pitfall 8)
        count = len(lane.provider.seen)
        since = pi.prompt("/workflow chain the parser")
        lane.provider.wait(count + dice.randrange(1, 2 * len(NODES)))
        threading.Event().wait(dice.random() * WITHIN_SECONDS)
        what = dice.choice(("pi", "server", "worker"))
        kill(lane, pi, what)
        (left,) = lane.rows("SELECT steps FROM runs ORDER BY pk DESC LIMIT 1")[0]
        if what == "pi":
            pi, since = lane.pi("--continue"), 0
            assert pi.session() == session
        told = ""
        try:
            told = finish(lane, pi, since)
            nothing_lost_or_repeated(lane, pi, session)
        except AssertionError as error:
            raise AssertionError(
                f"seed {SEED}, round {number}, {what} killed in step {left}:{told}"
            ) from error
        print(
            f"{lane.version} round {number}: {what} killed in step {left};{told} completed",
            flush=True,
        )
