"""`segue/seen`: a message has come into the conversation."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...protocol.told import Seen
    from ..server import SegueServer


def handle(server: SegueServer, params: Seen) -> None:
    server.sessions.get(params.session.host, params.session.id).binding.seen(params.message)
