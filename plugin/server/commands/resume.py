"""`segue.server.resume`: resume a run of the folder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..asking import ask

if TYPE_CHECKING:
    from ..server import SegueServer


async def run(server: SegueServer, arguments: dict[str, Any]) -> Any:
    return await ask(server, arguments, "resume", "Resume which run?")
