"""Renaming a node everywhere: function, texts, handles, other files (issue 5)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from segue.plugin.authoring.renaming import CannotRename
from segue.plugin.server.features.rename import rename

from .editing import CHILD, PARENT, REVIEW, Editor, File, desk_with, edits_of, place, wire


async def renamed(file: File, word: str, new: str) -> dict[str, list[Any]]:
    params = types.RenameParams(file.id, file.at(word), new)
    return edits_of(await file.editor.client.text_document_rename_async(params))


@wire
@pytest.mark.parametrize("word", ["inspect(ctx", '"inspect", max', "inspect, on", 'inspect")'])
async def test_a_node_is_renamed_from_any_place(editor: Editor, word: str) -> None:
    file = editor.open("review", REVIEW)
    edits = await renamed(file, word, "read_it")
    assert file.edited(edits[file.uri]) == REVIEW.replace("inspect", "read_it")


@wire
async def test_an_exit_is_renamed_in_the_files_that_leave_by_it(editor: Editor) -> None:
    editor.save("child", CHILD)
    file = editor.open("parent", PARENT)
    edits = await renamed(file, 'fine")', "well_done")
    child = next(edits[uri] for uri in edits if uri.endswith("child.py"))
    assert file.edited(edits[file.uri]) == PARENT.replace("fine", "well_done")
    assert File(editor, "", Path(), CHILD).edited(child) == CHILD.replace("fine", "well_done")


@wire
async def test_prepare_rename_marks_the_name(editor: Editor) -> None:
    file = editor.open("review", REVIEW)
    params = types.PrepareRenameParams(file.id, file.at('"inspect", max'))
    found = await editor.client.text_document_prepare_rename_async(params)
    assert isinstance(found, types.PrepareRenamePlaceholder)
    assert file.shown(found.range) == found.placeholder == "inspect"
    elsewhere = types.PrepareRenameParams(file.id, file.at("BaseModel"))
    assert await editor.client.text_document_prepare_rename_async(elsewhere) is None


@wire
async def test_a_workflow_is_named_as_its_file(editor: Editor) -> None:
    file = editor.open("review", REVIEW)
    params = types.PrepareRenameParams(file.id, file.at('"review", input'))
    with pytest.raises(JsonRpcException, match="rename the file"):
        await editor.client.text_document_prepare_rename_async(params)


@pytest.mark.parametrize(
    ("new", "why"),
    [
        ("done", "already"),
        ("Task", "binds 'Task' already"),
        ("two words", "letters"),
        ("class", "Python name"),
        ("in-two", "Python name"),
        ("other", "means something else"),
    ],
)
def test_a_name_that_would_break_the_file_is_refused(tmp_path: Path, new: str, why: str) -> None:
    text = REVIEW + "\n\ndef helper(other: str) -> object:\n    return inspect, other\n"
    desk, opened = desk_with(tmp_path, review=text)
    with pytest.raises(CannotRename, match=why):
        rename(opened, place(text, "inspect(ctx"), new, desk)


def test_name_and_handle_that_differ_are_renamed_apart(tmp_path: Path) -> None:
    text = REVIEW + 'p = review.wait("pause", seconds=3)\nreview.edge(p, "pause")\n'
    desk, opened = desk_with(tmp_path, review=text)
    for word, new, made in [
        ('pause", s', "rest", text.replace("pause", "rest")),
        ("p = review", "q", text.replace("p = rev", "q = rev").replace("(p, ", "(q, ")),
    ]:
        edit = rename(opened, place(text, word, plus=0), new, desk, versioned=False)
        assert edit is not None
        (edits,) = (edit.changes or {}).values()
        file = File(None, "", Path(), text)
        assert file.edited(edits) == made
