"""Quick fixes are the rules' own edits, and mend what they say."""

from __future__ import annotations

from pathlib import Path

from lsprotocol import types

from segue.plugin.server.features.code_action import FIX_ALL, code_actions

from .editing import REVIEW, Editor, File, desk_with, edits_of, wire

WRONG = REVIEW.replace('{"clean"', '{"cleen"').replace(
    'edge(fix, "inspect")', 'edge(fix, "inspct")'
)
WHOLE = types.Range(types.Position(0, 0), types.Position(999, 0))


async def offered(file: File, *only: str) -> list[types.CodeAction]:
    context = types.CodeActionContext(diagnostics=[], only=list(only) or None)
    params = types.CodeActionParams(file.id, WHOLE, context)
    found = await file.editor.client.text_document_code_action_async(params)
    return [each for each in found or [] if isinstance(each, types.CodeAction)]


@wire
async def test_a_misspelt_case_is_mended(editor: Editor) -> None:
    file = editor.open("review", WRONG)
    found = await offered(file)
    (fix,) = [each for each in found if each.title == 'Write "clean"']
    assert fix.kind == types.CodeActionKind.QuickFix
    assert fix.is_preferred
    assert fix.diagnostics is not None
    assert fix.diagnostics[0].code == "SG106"
    assert file.edited(edits_of(fix.edit)[file.uri]) == WRONG.replace("cleen", "clean")


@wire
async def test_all_safe_fixes_at_once(editor: Editor) -> None:
    """Editors that fix on save apply what `segue check --fix` would."""
    file = editor.open("review", WRONG)
    (fix,) = await offered(file, "source.fixAll")
    assert fix.kind == FIX_ALL
    assert file.edited(edits_of(fix.edit)[file.uri]) == REVIEW


def test_only_the_findings_that_the_range_touches(tmp_path: Path) -> None:
    _, opened = desk_with(tmp_path, review=WRONG)
    assert (
        code_actions(opened, types.Range(types.Position(0, 0), types.Position(1, 0)), None, "")
        == []
    )


def test_clients_without_versions_get_plain_changes(tmp_path: Path) -> None:
    _, opened = desk_with(tmp_path, review=WRONG)
    first = code_actions(opened, WHOLE, None, "file:///x", versioned=False)[0]
    assert first.edit is not None
    assert first.edit.document_changes is None
    assert list(first.edit.changes or {}) == ["file:///x"]


def test_edits_name_the_version_that_they_are_for(tmp_path: Path) -> None:
    """An editor that has typed on meanwhile refuses them."""
    _, opened = desk_with(tmp_path, review=WRONG)
    edit = code_actions(opened, WHOLE, None, "file:///x")[0].edit
    assert edit is not None
    (change,) = edit.document_changes or []
    assert isinstance(change, types.TextDocumentEdit)
    assert change.text_document.version == opened.version
