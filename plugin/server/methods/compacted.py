"""`segue/compacted`: the conversation was compacted; the open step is said again (T9)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...protocol.told import Compacted
    from ..server import SegueServer


def handle(server: SegueServer, params: Compacted) -> None:
    attached = server.sessions.get(params.session.host, params.session.id)
    attached.binding.compacted(params.event)
