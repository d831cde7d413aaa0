"""The outline of a file, and names found in the whole workspace."""

from __future__ import annotations

import pytest
from lsprotocol import types

from segue.plugin.server.features.workspace_symbol import matches

from .editing import CHILD, PARENT, REVIEW, Editor, wire


@wire
async def test_the_outline_of_a_file(editor: Editor) -> None:
    file = editor.open("review", REVIEW)
    found = await editor.client.text_document_document_symbol_async(
        types.DocumentSymbolParams(file.id)
    )
    (whole,) = found or []
    assert isinstance(whole, types.DocumentSymbol)
    assert whole.name == "review"
    shown = [(each.name, each.detail) for each in whole.children or []]
    assert shown == [("inspect", "agent"), ("fix", "agent"), ("done", "compute")]
    for each in whole.children or []:
        assert whole.range.start <= each.range.start <= each.selection_range.start
        assert each.selection_range.end <= each.range.end <= whole.range.end


@wire
async def test_names_of_the_workspace(editor: Editor) -> None:
    """Saved files of every folder are looked at; what is open comes before what is saved."""
    editor.save("child", CHILD)
    editor.save("parent", PARENT)
    editor.open("parent", PARENT.replace("last", "final"))
    found = await editor.client.workspace_symbol_async(types.WorkspaceSymbolParams("fin"))
    here = [each for each in found or [] if editor.root.name in each.location.uri]
    assert sorted(each.name for each in here) == ["final", "fine"]


@pytest.mark.parametrize(
    ("query", "fits"), [("", True), ("ins", True), ("iet", True), ("x", False)]
)
def test_letters_match_in_their_order(query: str, fits: bool) -> None:
    assert matches(query, "inspect") is fits
