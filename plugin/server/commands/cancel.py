"""`segue.server.cancel`: end a run, confirmed by the person with the run named (P-N3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..asking import ask

if TYPE_CHECKING:
    from ..server import SegueServer


async def run(server: SegueServer, arguments: dict[str, Any]) -> Any:
    return await ask(server, arguments, "cancel", "Cancel which run?", confirm="Cancel the run")
