"""textDocument/diagnostic: findings for clients that ask for them."""

from __future__ import annotations

import asyncio
import hashlib
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from . import diagnostics
from .sources import authoring, opened

if TYPE_CHECKING:
    from ...authoring.opened import Opened
    from ..server import SegueServer

_SERVER_CANCELLED = -32802


async def handle(
    server: SegueServer, params: types.DocumentDiagnosticParams
) -> types.DocumentDiagnosticReport:
    await asyncio.sleep(diagnostics.BREATH_SECONDS)
    try:
        version = opened(server, params.text_document.uri)
    except JsonRpcException as error:
        raise _later() from error
    if version is None:
        return types.RelatedFullDocumentDiagnosticReport(items=[])
    result = await server.off("text", report, version, params.previous_result_id)
    if not authoring(server).desk.is_current(version):
        raise _later()
    return result


def _later() -> JsonRpcException:
    data = {"retriggerRequest": True}
    return JsonRpcException("the file was changed meanwhile", _SERVER_CANCELLED, data)


def report(opened: Opened, before: str | None) -> types.DocumentDiagnosticReport:
    """Give the findings, or that they are those of the answer before."""
    items = diagnostics.diagnostics(opened)
    result_id = hashlib.sha256(repr(items).encode()).hexdigest()[:16]
    if result_id == before:
        return types.RelatedUnchangedDocumentDiagnosticReport(result_id=result_id)
    return types.RelatedFullDocumentDiagnosticReport(items=items, result_id=result_id)
