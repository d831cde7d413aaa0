"""`segue/report`: what is found in the conversation, unasked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..hosts import report_of

if TYPE_CHECKING:
    from ...protocol.told import Report
    from ..server import SegueServer


def handle(server: SegueServer, params: Report) -> None:
    attached = server.sessions.get(params.session.host, params.session.id)
    attached.binding.report(report_of(params))
