"""`segue/branchMoved`: the person went to another branch of the conversation (T4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..hosts import report_of

if TYPE_CHECKING:
    from ...protocol.told import BranchMoved
    from ..server import SegueServer


def handle(server: SegueServer, params: BranchMoved) -> None:
    attached = server.sessions.get(params.session.host, params.session.id)
    attached.binding.branch_moved(report_of(params.report))
