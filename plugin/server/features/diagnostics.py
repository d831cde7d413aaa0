"""Findings as diagnostics, and publishing them to clients that do not ask for them.

One piece of work a file at a time: what was typed meanwhile is looked at next, and only the
findings of the version that the editor shows are published.
"""

from __future__ import annotations

import asyncio
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from lsprotocol import types

from segue.session.workflow.findings import Code, Severity

from .. import uris
from . import encode
from .sources import authoring

if TYPE_CHECKING:
    from collections.abc import Iterable

    from segue.session.workflow.findings import Finding

    from ...authoring.opened import Opened
    from ..server import SegueServer

_HERE: Final = Path(__file__).resolve().parents[2]
RULES: Final = (_HERE / "RULES.md", _HERE.parent / "docs" / "RULES.md")
"""The page of the rules: in an installed copy, and in a checkout."""
_SEVERITIES: Final = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.HINT: types.DiagnosticSeverity.Hint,
}
_UNUSED: Final = frozenset([Code.UNUSED_OUTPUT, Code.UNUSED_INPUT, Code.UNREACHABLE])
SOURCE: Final = "segue"
BREATH_SECONDS: Final = 0.01
"""What is asked right after a keystroke, such as a completion, is answered before the check."""


def diagnostics(opened: Opened) -> list[types.Diagnostic]:
    """Give every finding of a version."""
    return [diagnostic(opened, each) for each in opened.findings]


def diagnostic(opened: Opened, finding: Finding) -> types.Diagnostic:
    page = link(finding.code)
    return types.Diagnostic(
        range=encode.range_of(opened.places, (finding.start, finding.end)),
        message=finding.message,
        severity=_SEVERITIES[finding.severity],
        code=finding.code,
        code_description=types.CodeDescription(href=page) if page else None,
        source=SOURCE,
        tags=[types.DiagnosticTag.Unnecessary] if finding.code in _UNUSED else None,
    )


@cache
def link(code: str) -> str:
    """Give the address of the section that explains a code; empty where no page is there."""
    page = next((each for each in RULES if each.is_file()), None)
    return "" if page is None else f"{uris.uri_of(page)}#{anchor(Code(code))}"


def anchor(code: Code) -> str:
    return f"{code}-{code.name}".lower().replace("_", "-")


def pulls(server: SegueServer) -> bool:
    """Whether the client asks for diagnostics itself."""
    return server.can("text_document", "diagnostic")


def tell(server: SegueServer, renewed: Iterable[Opened], typed: str | None = None) -> None:
    """Publish what is to be said of these, or have the client ask again for all but `typed`."""
    if not pulls(server):
        for each in renewed:
            _begin(server, each.uri)
    elif any(each.uri != typed for each in renewed):
        refresh(server)


def refresh(server: SegueServer) -> None:
    if server.can("workspace", "diagnostics", "refresh_support"):
        server.protocol.send_request(types.WORKSPACE_DIAGNOSTIC_REFRESH)


def forget(server: SegueServer, uri: str) -> None:
    """A file was closed: what was said of it is taken back."""
    if not pulls(server):
        params = types.PublishDiagnosticsParams(uri=uri, diagnostics=[])
        server.text_document_publish_diagnostics(params)


def _begin(server: SegueServer, uri: str) -> None:
    kept = authoring(server)
    if uri not in kept.telling:
        kept.telling.add(uri)
        server.spawn(_publish(server, uri), "diagnostics")


async def _publish(server: SegueServer, uri: str) -> None:
    """Publish until what was published is what the editor shows."""
    kept = authoring(server)
    try:
        while (opened := kept.desk.get(uri)) is not None and kept.told.get(uri) is not opened:
            await asyncio.sleep(BREATH_SECONDS)
            opened = kept.desk.get(uri) or opened
            found = await server.off("text", diagnostics, opened)
            if not kept.desk.is_current(opened):
                continue
            kept.told[uri] = opened
            document = server.documents.get(uri)
            if document is not None:
                params = types.PublishDiagnosticsParams(
                    uri=document.uri, version=opened.version, diagnostics=found
                )
                server.text_document_publish_diagnostics(params)
        if kept.desk.get(uri) is None:
            kept.told.pop(uri, None)
    finally:
        kept.telling.discard(uri)
