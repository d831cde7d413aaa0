"""Threads for what must not block the event loop.

- `quick`: state and files; milliseconds.
- `slow`: loading a workflow in a worker; may take its whole time limit.
- `text`: the model of an edited file; one thread, because Python runs one at a time anyway.

A call that is cancelled while it waits for a thread never runs (P-M1).
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, TypeAlias, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

Pool: TypeAlias = Literal["quick", "slow", "text"]
P = ParamSpec("P")
T = TypeVar("T")


class Pools:
    """The server's threads, made when they are first needed."""

    def __init__(self) -> None:
        self._pools = {
            "quick": ThreadPoolExecutor(4, "segue-quick"),
            "slow": ThreadPoolExecutor(8, "segue-slow"),
            "text": ThreadPoolExecutor(1, "segue-text"),
        }

    async def run(
        self,
        pool: Pool,
        work: Callable[P, T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """Do blocking work on a thread and await what it gives."""
        call: Callable[[], Any] = partial(work, *args, **kwargs)
        made: T = await asyncio.get_running_loop().run_in_executor(self._pools[pool], call)
        return made

    def close(self) -> None:
        """Begin nothing more; what runs is left to the end of the process."""
        for pool in self._pools.values():
            pool.shutdown(wait=False, cancel_futures=True)
