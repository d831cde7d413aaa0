"""`segue/status`: the session's run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from segue.session import grammar

if TYPE_CHECKING:
    from ...protocol.calls import Status
    from ..server import SegueServer


def handle(server: SegueServer, params: Status) -> dict[str, Any]:
    binding = server.sessions.get(params.session.host, params.session.id).binding
    return grammar.command(binding, "status").data
