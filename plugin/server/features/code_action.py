"""textDocument/codeAction: the edits that the rules know, and all safe ones at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from . import encode, sources
from .diagnostics import diagnostic

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from segue.session.workflow.findings import Change, Finding
    from segue.session.workflow.source.expr import Span

    from ...authoring.opened import Opened
    from ..server import SegueServer

FIX_ALL = "source.fixAll.segue"


async def handle(
    server: SegueServer, params: types.CodeActionParams
) -> list[types.CodeAction] | None:
    uri = params.text_document.uri
    versioned = server.can("workspace", "workspace_edit", "document_changes")
    return await sources.answer(
        server, uri, code_actions, params.range, params.context.only, uri, versioned=versioned
    )


def code_actions(
    opened: Opened,
    given: types.Range,
    only: Iterable[str] | None,
    uri: str,
    *,
    versioned: bool = True,
) -> list[types.CodeAction]:
    """Give the quick fixes of the findings that a range touches, and the one for them all."""
    made: list[types.CodeAction] = []
    span = encode.span_of(opened, given)
    if _wants(only, types.CodeActionKind.QuickFix):
        for finding in opened.findings:
            if finding.fix is not None and _touch((finding.start, finding.end), span):
                made.append(_quick_fix(opened, finding, uri, versioned=versioned))
    safe = list(_safe(opened))
    if safe and only is not None and _wants(only, FIX_ALL):
        edit = _edit(opened, safe, uri, versioned=versioned)
        made.append(types.CodeAction("Segue: apply all safe fixes", kind=FIX_ALL, edit=edit))
    return made


def _wants(only: Iterable[str] | None, kind: str) -> bool:
    return only is None or any(kind == each or kind.startswith(each + ".") for each in only)


def _touch(one: Span, other: Span) -> bool:
    return one[0] <= other[1] and other[0] <= one[1]


def _quick_fix(opened: Opened, finding: Finding, uri: str, *, versioned: bool) -> types.CodeAction:
    assert finding.fix is not None
    title = finding.fix.title
    return types.CodeAction(
        title=title[:1].upper() + title[1:],
        kind=types.CodeActionKind.QuickFix,
        diagnostics=[diagnostic(opened, finding)],
        is_preferred=finding.fix.safe,
        edit=_edit(opened, finding.fix.changes, uri, versioned=versioned),
    )


def _safe(opened: Opened) -> Iterator[Change]:
    """Give the safe changes of all findings, of two that overlap the first."""
    changes = [
        change
        for finding in opened.findings
        if finding.fix is not None and finding.fix.safe
        for change in finding.fix.changes
    ]
    end = -1
    for change in sorted(changes, key=lambda each: (each.start, each.end)):
        if change.start >= end:
            end = change.end
            yield change


def _edit(
    opened: Opened, changes: Iterable[Change], uri: str, *, versioned: bool
) -> types.WorkspaceEdit:
    edits = [
        types.TextEdit(encode.range_of(opened.places, (each.start, each.end)), each.new)
        for each in changes
    ]
    if not versioned:
        return types.WorkspaceEdit(changes={uri: edits})
    document = types.OptionalVersionedTextDocumentIdentifier(uri=uri, version=opened.version)
    return types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(document, list(edits))])
