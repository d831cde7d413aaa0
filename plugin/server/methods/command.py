"""`segue/command`: what the person typed after `/workflow`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from segue.session import grammar

from ...protocol.calls import CommandResult

if TYPE_CHECKING:
    from ...protocol.calls import Command
    from ..server import SegueServer


def handle(server: SegueServer, params: Command) -> CommandResult:
    binding = server.sessions.get(params.session.host, params.session.id).binding
    reply = grammar.command(binding, params.text, params.id)
    notices = [*reply.notices, *binding.notices()]
    return CommandResult(text=reply.text, data=reply.data, notices=notices)
