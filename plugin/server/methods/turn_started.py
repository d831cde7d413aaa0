"""`segue/turnStarted`: a turn has begun."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...protocol.told import TurnStarted
    from ..server import SegueServer


def handle(server: SegueServer, params: TurnStarted) -> None:
    attached = server.sessions.get(params.session.host, params.session.id)
    attached.binding.turn_started(params.cause)
