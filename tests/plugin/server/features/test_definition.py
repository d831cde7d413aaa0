"""From a name to what it names, across edges, files and includes."""

from __future__ import annotations

import pytest
from lsprotocol import types

from .editing import CHILD, PARENT, REVIEW, Editor, File, wire


async def found(file: File, word: str, *, nth: int = 0) -> list[types.Location]:
    params = types.DefinitionParams(file.id, file.at(word, nth=nth))
    made = await file.editor.client.text_document_definition_async(params)
    assert isinstance(made, list)
    return [each for each in made if isinstance(each, types.Location)]


@wire
@pytest.mark.parametrize(
    ("word", "leads_to"),
    [
        ("inspect)", "inspect(ctx"),
        ('"inspect")', "inspect(ctx"),
        ("done, ", "done(ctx"),
        ('"inspect", max', "inspect(ctx"),
        ('"route", cases', "route: Literal"),
    ],
)
async def test_definition_in_the_file(editor: Editor, word: str, leads_to: str) -> None:
    file = editor.open("review", REVIEW)
    (where,) = await found(file, word)
    assert where.uri == file.uri
    assert where.range.start == file.at(leads_to, plus=0)


@wire
async def test_definition_in_an_included_file(editor: Editor) -> None:
    """The included file need not be open."""
    editor.save("child", CHILD)
    file = editor.open("parent", PARENT)
    for word, leads_to in [
        ("child, input", '"child"'),
        ("fine)).good", '"fine"'),
        ('"fine")', '"fine"'),
        ("fine\nfrom", '"fine"'),
    ]:
        (where,) = await found(file, word)
        assert where.uri.endswith("child.py")
        lines = CHILD.splitlines()
        line = lines[where.range.start.line]
        assert line[where.range.start.character : where.range.end.character] == leads_to


@wire
async def test_what_names_nothing_leads_nowhere(editor: Editor) -> None:
    file = editor.open("review", REVIEW)
    assert await found(file, "BaseModel") == []
