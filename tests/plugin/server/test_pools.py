"""Threads and lanes: what is cancelled while it waits never runs (P-M1)."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from segue.plugin.server.pools import Pools
from segue.plugin.server.sessions import NotAttached, Sessions

pytestmark = pytest.mark.asyncio


async def queued_behind_a_slow_one(begin: Any) -> list[int]:
    """Queue thirty calls behind one that does not end, cancel them, let it end."""
    started, go, ran = threading.Event(), threading.Event(), list[int]()

    def slow() -> None:
        started.set()
        go.wait(60)

    first = asyncio.ensure_future(begin(slow))
    await asyncio.to_thread(started.wait, 60)
    calls = [asyncio.ensure_future(begin(lambda n=n: ran.append(n))) for n in range(30)]
    await asyncio.to_thread(lambda: None)  # each has been put into the queue
    for call in calls:
        call.cancel()
    await asyncio.wait(calls)
    go.set()
    await first
    await begin(lambda: ran.append(99))
    return ran


async def test_cancelled_requests_behind_a_slow_one_never_run() -> None:
    pools = Pools()
    assert await queued_behind_a_slow_one(lambda work: pools.run("text", work)) == [99]
    pools.close()


async def test_nor_do_those_of_a_session() -> None:
    sessions = Sessions()
    lane = ("pi", "a")
    assert await queued_behind_a_slow_one(lambda work: sessions.run(lane, work)) == [99]
    sessions.release(lane)
    assert not sessions.has(lane)


async def test_a_lane_keeps_the_order_in_which_messages_came() -> None:
    sessions, ran = Sessions(), list[int]()
    lane = ("pi", "a")
    calls = [asyncio.ensure_future(sessions.run(lane, ran.append, n)) for n in range(200)]
    await asyncio.gather(*calls)
    assert ran == list(range(200))
    sessions.close()


async def test_an_unknown_session_is_not_attached() -> None:
    with pytest.raises(NotAttached):
        Sessions().get("pi", "a")
