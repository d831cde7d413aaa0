"""`segue/turnEnded`: a turn has ended; the answer may carry what comes next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...protocol.calls import OfferedMessage, TurnEndedResult
from ..hosts import offer_json

if TYPE_CHECKING:
    from ...protocol.calls import TurnEnded
    from ..server import SegueServer


def handle(server: SegueServer, params: TurnEnded) -> TurnEndedResult:
    binding = server.sessions.get(params.session.host, params.session.id).binding
    reply = binding.turn_ended(params.outcome, params.text, error=params.error, call=params.id)
    message = None if reply.message is None else OfferedMessage(**offer_json(reply.message))
    return TurnEndedResult(message=message, notices=list(reply.notices))
