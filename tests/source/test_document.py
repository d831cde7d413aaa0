"""A document never changes, and an edited one is what reading the new text would give."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from segue.session.workflow.rules import check_module
from segue.session.workflow.source.document import Document
from segue.session.workflow.source.library import Library
from segue.session.workflow.source.text import Edit, Text

CORPUS = sorted((Path(__file__).parents[1] / "corpus").glob("*.[pt]*"))
HERE = Path("/nowhere/made.py")
PIECES = st.sampled_from(
    [
        b"",
        b"x",
        b"(",
        b")",
        b'"',
        b"\n",
        b"wf",
        b"\n\n",
        b"  ",
        b"# note\n",
        b'"""',
        b"]",
        b",",
        b"@",
    ]
)


@st.composite
def edits(draw: st.DrawFn) -> tuple[bytes, list[Edit]]:
    data = draw(st.sampled_from(CORPUS)).read_bytes()
    text, made = data, []
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 12)))
        edit = Edit(start, end, draw(PIECES))
        made.append(edit)
        text = edit.apply(text)
    return data, made


@settings(max_examples=150)
@given(edits())
def test_an_edited_document_says_what_the_new_text_says(case: tuple[bytes, list[Edit]]) -> None:
    data, made = case
    document = Document.read(HERE, data)
    library = Library()
    module = library.put(document)
    for edit in made:
        document = document.edited(edit)
        module = library.put(document)
    fresh = Document.read(HERE, document.text.data)
    assert document.text.starts == fresh.text.starts
    if fresh.breaks or document.breaks:
        # How a parser recovers from broken text may depend on what it knew before.
        assert bool(fresh.breaks) == bool(document.breaks)
        return
    anew = Library().put(fresh)
    assert document.statements == fresh.statements
    assert module.workflows == anew.workflows
    assert module.names.keys() == anew.names.keys()
    assert check_module(module) == check_module(anew)


def test_statements_that_only_moved_keep_their_facts() -> None:
    data = b"a = 1\n\n\ndef f(x: int) -> int:\n    return x\n"
    before = Document.read(HERE, data)
    after = before.edited(Edit(0, 0, b"# a line more\n"))
    assert [each.fact for each in before.statements] == [each.fact for each in after.statements]
    assert all(
        old.fact is new.fact for old, new in zip(before.statements, after.statements, strict=True)
    )
    assert [each.start + 14 for each in before.statements] == [e.start for e in after.statements]


def test_the_old_version_still_says_what_it_said() -> None:
    before = Document.read(HERE, b"a = 1\n")
    before.edited(Edit(0, 1, b"b"))
    assert before.tree.root_node.text == b"a = 1\n"
    assert "a" in before.bindings


@given(st.text(max_size=60), st.data())
def test_a_position_is_found_again(text: str, data: st.DataObject) -> None:
    whole = Text(text.encode())
    at = data.draw(st.integers(0, len(text)))
    offset = len(text[:at].encode())
    line, character = whole.utf16(offset)
    if "\r" not in text:
        assert whole.offset(line, character) == offset
    position = whole.position(offset)
    assert (position.line, position.column) == (
        text[:at].count("\n") + 1,
        len(text[:at].rpartition("\n")[2]) + 1,
    )
