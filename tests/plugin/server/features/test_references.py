"""Every place that names a node, mount or exit, in every file."""

from __future__ import annotations

from pathlib import Path

from lsprotocol import types

from segue.plugin.server.features.document_highlight import highlights

from .editing import CHILD, PARENT, REVIEW, Editor, File, desk_with, place, wire


async def found(file: File, word: str, *, declaration: bool = True) -> list[types.Location]:
    context = types.ReferenceContext(declaration)
    params = types.ReferenceParams(context, file.id, file.at(word))
    return list(await file.editor.client.text_document_references_async(params) or [])


@wire
async def test_references_of_a_node(editor: Editor) -> None:
    """Function, texts and handles, wherever they stand; words in comments are none."""
    file = editor.open("review", REVIEW + "# inspect is the first\n")
    places = await found(file, "inspect(ctx")
    assert [file.shown(each.range) for each in places] == [
        *['"inspect"', "inspect", "inspect", "inspect", "inspect", '"inspect"']
    ]
    assert len(await found(file, "inspect(ctx", declaration=False)) == len(places) - 1


@wire
async def test_references_of_an_exit_cross_files(editor: Editor) -> None:
    editor.save("child", CHILD)
    file = editor.open("parent", PARENT)
    places = await found(file, 'fine")')
    names = sorted(each.uri.rpartition("/")[2] for each in places)
    assert names == ["child.py", "child.py", "parent.py", "parent.py", "parent.py"]


def test_a_name_of_another_scope_is_another_name(tmp_path: Path) -> None:
    text = REVIEW + (
        "\n\ndef helper(fix: str) -> str:\n    return fix\n\n\n"
        "def other(x=fix):\n    return [fix for fix in 'abc'], lambda done: done\n"
    )
    _, opened = desk_with(tmp_path, review=text)
    lines = [each.range.start.line for each in highlights(opened, place(text, "fix(ctx"))]
    default = text.splitlines().index("def other(x=fix):")
    assert lines[-1] == default
    assert len(lines) == 4
