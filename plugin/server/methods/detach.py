"""`segue/detach`: let go of a session; its run stands as it is stored (D4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...protocol.base import Nothing

if TYPE_CHECKING:
    from ...protocol.hello import Detach
    from ..server import SegueServer


def handle(server: SegueServer, params: Detach) -> Nothing:
    server.sessions.drop(server.sessions.get(params.session.host, params.session.id))
    return Nothing()
