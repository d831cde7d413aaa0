"""The sessions that are attached on this connection, and the lane of each.

What a client says of one session is carried out in the order in which it was sent, on that
session's lane; sessions do not wait for each other.
"""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from segue.session.errors import Fenced, SegueError
from segue.session.ownership import SessionKey

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .attached import Attached

P = ParamSpec("P")
T = TypeVar("T")


class NotAttached(SegueError):
    """The session is not attached on this connection; send segue/attach first."""

    code = "not_attached"


class Sessions:
    """Attached sessions by key, and a lane for each."""

    def __init__(self) -> None:
        self._attached: dict[SessionKey, Attached] = {}
        self._lanes: dict[tuple[str, str], ThreadPoolExecutor] = {}
        self._shut = False

    def __iter__(self) -> Iterator[Attached]:
        return iter(list(self._attached.values()))

    @property
    def count(self) -> int:
        return len(self._attached)

    async def run(
        self, lane: tuple[str, str], work: Callable[P, T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Do work on a session's lane; what is cancelled while it waits never runs (P-M1)."""
        pool = self._lanes.get(lane)
        if pool is None:
            pool = self._lanes[lane] = ThreadPoolExecutor(1, f"segue-lane-{lane[0][:20]}")
        future = pool.submit(work, *args, **kwargs)
        return await asyncio.wrap_future(future)

    def release(self, lane: tuple[str, str]) -> None:
        """Give a lane's thread back once its calls are done, if no session is on it."""
        if SessionKey(*lane) not in self._attached and (pool := self._lanes.pop(lane, None)):
            pool.shutdown(wait=False)

    def withdraw(self, lane: tuple[str, str]) -> None:
        """A call on this lane was cancelled: what it loads is not started."""
        attached = self._attached.get(SessionKey(*lane))
        if attached is not None:
            attached.service.withdraw()

    def open(self, lane: tuple[str, str]) -> Attached | None:
        """The client has its answer to `segue/attach`: its session's pump starts, once."""
        attached = self._attached.get(SessionKey(*lane))
        if attached is None or attached.pump is not None or attached.binding.closed:
            return None
        attached.start()
        return attached

    def has(self, lane: tuple[str, str]) -> bool:
        return lane in self._lanes

    def get(self, host: str, session_id: str) -> Attached:
        """Give an attached session.

        Raises:
            NotAttached: It is not.
            Fenced: A newer attachment took over (O7).
        """
        found = self._attached.get(SessionKey(host, session_id))
        if found is None:
            raise NotAttached(
                f"session {host[:40]}:{session_id[:80]} is not attached here: send segue/attach"
            )
        if found.binding.closed:
            self.drop(found)
            raise Fenced(f"session {found.key} was opened elsewhere: that window has it now")
        return found

    def find(self, key: SessionKey) -> Attached | None:
        return self._attached.get(key)

    def put(self, attached: Attached) -> None:
        self._attached[attached.key] = attached

    def drop(self, attached: Attached) -> None:
        """Forget a session and let go of it."""
        if self._attached.get(attached.key) is attached:
            del self._attached[attached.key]
        attached.close()

    def close(self) -> None:
        """Let go of all, side by side; called once, off the loop, at the end."""
        self._shut = True
        for lane in list(self._lanes.values()):
            lane.shutdown(wait=False, cancel_futures=True)
        threads = [threading.Thread(target=a.close, daemon=True) for a in self]
        for attached in self:
            attached.service.withdraw()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(3.0)
