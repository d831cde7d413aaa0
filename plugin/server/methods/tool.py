"""`segue/tool`: the model called the tool `workflow`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from segue.session import tool

from ...protocol.calls import OfferedMessage, ToolResult
from ..hosts import offer_json

if TYPE_CHECKING:
    from ...protocol.calls import Tool
    from ..server import SegueServer


def handle(server: SegueServer, params: Tool) -> ToolResult:
    binding = server.sessions.get(params.session.host, params.session.id).binding
    made = tool.call(binding, params.arguments, params.id)
    message = None if made.message is None else OfferedMessage(**offer_json(made.message))
    return ToolResult(ok=made.ok, text=made.text, data=made.data, message=message)
