"""Findings in the editor: asked for or told, for the version that is shown, from text only."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from segue.plugin.server.features.diagnostic import report
from segue.plugin.server.features.diagnostics import RULES, anchor, diagnostics
from segue.session.workflow.findings import Code

from .editing import CHILD, PARENT, REVIEW, Editor, File, desk_with, wire

BROKEN = REVIEW.replace('"clean": done, ', "")


async def asked(file: File) -> list[types.Diagnostic]:
    client = file.editor.client
    found = await client.text_document_diagnostic_async(types.DocumentDiagnosticParams(file.id))
    assert isinstance(found, types.RelatedFullDocumentDiagnosticReport)
    return list(found.items)


async def told(file: File, version: int) -> list[types.Diagnostic]:
    """Wait until the findings of a version come."""
    while True:
        found = await file.editor.client.protocol.wait_for_notification_async(
            types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS
        )
        if found.uri == file.uri and found.version == version:
            return list(found.diagnostics)


@wire
async def test_diagnostics_are_given_when_asked(editor: Editor) -> None:
    """A missing case is found while the file is typed, before anything is saved or run (S1)."""
    file = editor.open("review", REVIEW)
    assert await asked(file) == []
    file.type('"clean": done, ', "")
    (found,) = [d for d in await asked(file) if d.code == "SG105"]
    assert found.severity is types.DiagnosticSeverity.Error
    assert found.source == "segue"
    assert "'clean'" in found.message
    assert file.shown(found.range) == '{"issues_found": fix}'
    assert found.code_description is not None
    assert found.code_description.href.endswith("RULES.md#sg105-missing-case")


@wire
async def test_diagnostics_are_told_to_clients_that_do_not_ask(pushed: Editor) -> None:
    """Every change is told with its version, and a closed file's findings are taken back."""
    opened = asyncio.ensure_future(
        pushed.client.protocol.wait_for_notification_async(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    )
    await asyncio.sleep(0)
    file = pushed.open("review", BROKEN)
    first = await opened
    assert (first.uri, first.version) == (file.uri, 1)
    assert "SG105" in {d.code for d in first.diagnostics}
    waiting = asyncio.ensure_future(told(file, 2))
    await asyncio.sleep(0)
    file.type('{"issues', '{"clean": done, "issues')
    assert not await waiting
    closing = asyncio.ensure_future(
        pushed.client.protocol.wait_for_notification_async(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    )
    await asyncio.sleep(0)
    file.close()
    assert not (await closing).diagnostics


@wire
async def test_a_stale_answer_is_never_given(editor: Editor) -> None:
    """An answer is about the version that is shown, or it is refused and asked for again."""
    file = editor.open("review", REVIEW)
    asking = [await _sent(file)]
    for number in range(8):
        file.type("Reviews", f"{number} Reviews")
        asking.append(await _sent(file))
    file.type('"clean": done, ', "")
    last = asyncio.ensure_future(asked(file))
    for done in await asyncio.gather(*asking, return_exceptions=True):
        if isinstance(done, BaseException):
            assert isinstance(done, JsonRpcException)
            assert done.code == -32802
        else:
            assert done == []
    assert "SG105" in {d.code for d in await last}


async def _sent(file: File) -> asyncio.Future[list[types.Diagnostic]]:
    """Send the question, and go on without its answer."""
    made = asyncio.ensure_future(asked(file))
    await asyncio.sleep(0)
    return made


@wire
async def test_a_change_in_an_included_file_is_seen(editor: Editor) -> None:
    """The exit that a parent leaves by is looked up in the child as it is typed."""
    child = editor.open("child", CHILD)
    parent = editor.open("parent", PARENT)
    assert await asked(parent) == []
    child.type('exit("fine"', 'exit("good"')
    assert "SG112" in {d.code for d in await asked(parent)}
    child.close()
    assert "SG112" not in {d.code for d in await asked(parent)}


@wire
async def test_a_file_elsewhere_is_none_of_ours(editor: Editor) -> None:
    """The person's own Python server speaks of other files; Segue does not."""
    uri = (editor.root / "main.py").as_uri()
    item = types.TextDocumentItem(uri, "python", 1, BROKEN)
    editor.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
    params = types.DocumentDiagnosticParams(types.TextDocumentIdentifier(uri))
    found = await editor.client.text_document_diagnostic_async(params)
    assert isinstance(found, types.RelatedFullDocumentDiagnosticReport)
    assert not found.items


@wire
async def test_nothing_of_an_untrusted_folder_is_run(editor: Editor) -> None:
    """Static help needs no trust, and reading a file never imports it (S1)."""
    mark = editor.root / "ran"
    text = f"open({str(mark)!r}, 'w')\n" + BROKEN
    editor.save("review", text)
    file = editor.open("review", text)
    assert await asked(file)
    params = types.HoverParams(file.id, file.at("inspect(ctx"))
    assert await editor.client.text_document_hover_async(params)
    assert not mark.exists()


def test_the_same_answer_is_not_sent_twice(tmp_path: Path) -> None:
    _, opened = desk_with(tmp_path, review=BROKEN)
    first = report(opened, None)
    assert isinstance(first, types.RelatedFullDocumentDiagnosticReport)
    assert isinstance(
        report(opened, first.result_id), types.RelatedUnchangedDocumentDiagnosticReport
    )


def test_every_code_links_to_its_section() -> None:
    page = next(path for path in RULES if path.is_file()).read_text("utf-8")
    headings = {
        line[3:].lower().replace(":", "").replace(" ", "-")
        for line in page.splitlines()
        if line.startswith("## ")
    }
    assert {anchor(code) for code in Code} <= headings


@pytest.mark.parametrize("data", ["", "\x0c", "review = (", "é" * 9, "\r\r\n", '"""'])
def test_any_text_has_an_answer(tmp_path: Path, data: str) -> None:
    _, opened = desk_with(tmp_path, review=data)
    for each in diagnostics(opened):
        assert each.range.start <= each.range.end
