"""Carries out `segue/*`: the parameters are checked against their model, on the right thread."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING, Any

from pygls.exceptions import JsonRpcInvalidParams

from . import registry
from .rpc import after_answer

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from .registry import Row
    from .server import SegueServer

Lane = tuple[str, str]
NOBODY: Lane = ("", "")
"""The lane of what names no session of ours: it is refused there."""


def handler(server: SegueServer, method: str, row: Row) -> Callable[[Any], Awaitable[Any]]:
    """Give the coroutine that handles one method.

    Its first step puts the work on the lane: tasks begin in the order in which messages came.
    """

    async def handle(params: Any) -> Any:
        lane = _lane(server, method, params)
        if row.lane:
            work = server.sessions.run(lane, perform, server, method, row, params)
        else:
            work = server.off("quick", perform, server, method, row, params)
        try:
            return await work
        except asyncio.CancelledError:
            server.sessions.withdraw(lane)
            raise
        finally:
            if method == "segue/attach":
                after_answer(_open, server, lane)
            server.sessions.release(lane)

    return handle


def _open(server: SegueServer, lane: Lane) -> None:
    """The client has its hello: from now on the session is spoken to, its question asked."""
    attached = server.sessions.open(lane)
    if attached is None:
        return
    attached.host.on_change = lambda view: server.on_loop(server.live.session_shows, attached, view)
    if attached.host.view is not None:
        server.live.session_shows(attached, attached.host.view)


def _lane(server: SegueServer, method: str, params: Any) -> Lane:
    session = params.get("session") if isinstance(params, dict) else None
    if method == "segue/attach":
        lane = (params.get("host"), session) if isinstance(params, dict) else NOBODY
    elif isinstance(session, dict):
        lane = (session.get("host"), session.get("id"))
    else:
        return NOBODY
    host, session_id = lane
    if not isinstance(host, str) or not isinstance(session_id, str):
        return NOBODY
    if method != "segue/attach" and not server.sessions.has((host, session_id)):
        return NOBODY
    return host, session_id


def perform(server: SegueServer, method: str, row: Row, params: Any) -> Any:
    """Check, call, encode; on a thread that may block."""
    from pydantic import ValidationError

    from ..protocol.table import TABLE

    name = f"{__package__}.{row.module}"
    module = sys.modules.get(name) or registry.load(row.module)
    if hasattr(module, "before"):
        module.before(params)
    try:
        given = TABLE[method].params.model_validate({} if params is None else params)
    except ValidationError as error:
        raise JsonRpcInvalidParams(f"{method}: {said(error)}") from error
    made = module.handle(server, given)
    return made.wire() if hasattr(made, "wire") else made


def said(error: Any) -> str:
    """Say in one line what is wrong with parameters."""
    listed = [
        f"{'.'.join(str(part) for part in each['loc']) or 'params'}: {each['msg']}"
        for each in error.errors(include_url=False, include_input=False)[:4]
    ]
    return "; ".join(listed)[:600]
