"""`segue/complete`: how what was typed after `/workflow` can go on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...completing import complete
from ...protocol.calls import CompleteItem, CompleteResult

if TYPE_CHECKING:
    from ...protocol.calls import Complete
    from ..server import SegueServer


def handle(server: SegueServer, params: Complete) -> CompleteResult:
    binding = server.sessions.get(params.session.host, params.session.id).binding
    items = [
        CompleteItem(value=value, label=label, description=description)
        for value, label, description in complete(binding, params.text)
    ]
    return CompleteResult(items=items)
