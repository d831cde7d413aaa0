"""Lines and columns in every encoding, and models that typing cannot lead astray."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lsprotocol import types

from segue.plugin.authoring.desk import Desk
from segue.plugin.authoring.opened import difference
from segue.plugin.authoring.places import Encoding, Places
from segue.plugin.server.features.diagnostics import diagnostics

from .editing import REVIEW, Editor, File, desk_with, wire

texts = st.text(st.sampled_from("aß–🔍\n\r\t\x0c\u2028e\u0301'\"("), max_size=60)
UNITS = {
    Encoding.UTF8: lambda text: len(text.encode()),
    Encoding.UTF16: lambda text: len(text.encode("utf-16-le")) // 2,
    Encoding.UTF32: len,
}


def lines(text: str) -> list[str]:
    """Split as the protocol says."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


@given(texts, st.sampled_from(list(Encoding)), st.data())
def test_every_character_has_its_place(text: str, encoding: Encoding, data: st.DataObject) -> None:
    """Offset to place and back is the offset, in UTF-8, UTF-16 and UTF-32."""
    at = data.draw(st.integers(0, len(text)))
    if text[at - 1 : at + 1] == "\r\n":
        return  # inside of a line end is no place
    before = lines(text[:at])
    places = Places(text.encode(), encoding)
    place = places.place(len(text[:at].encode()))
    assert place == (len(before) - 1, UNITS[encoding](before[-1]))
    assert places.offset(*place) == len(text[:at].encode())


@given(texts, st.sampled_from(list(Encoding)), st.integers(-2, 9), st.integers(-2, 99))
def test_any_place_is_inside_the_text(
    text: str, encoding: Encoding, line: int, column: int
) -> None:
    data = text.encode()
    at = Places(data, encoding).offset(line, column)
    data[:at].decode()
    data[at:].decode()


@given(texts, texts)
def test_one_edit_leads_from_any_text_to_any_other(old: str, new: str) -> None:
    edit = difference(old.encode(), new.encode())
    assert (edit.apply(old.encode()) if edit else old.encode()) == new.encode()


@settings(max_examples=40)
@given(st.lists(st.tuples(st.integers(0, 1000), st.integers(0, 30), texts), max_size=6))
def test_typing_gives_the_findings_of_a_fresh_look(
    edits: list[tuple[int, int, str]],
) -> None:
    """A model that followed every edit says what a model from scratch says."""
    path = Path("/nowhere/.segue/workflows/review.py")
    desk, text = Desk(), REVIEW
    desk.take("file:///r", path, 0, text)
    for version, (start, length, new) in enumerate(edits, 1):
        start = start % (len(text) + 1)
        text = text[:start] + new + text[start + length :]
        followed = desk.take("file:///r", path, version, text)[0]
        fresh = Desk().take("file:///r", path, version, text)[0]
        assert diagnostics(followed) == diagnostics(fresh)


WIDE = '"""🔍 – wide."""\x0c\n' + REVIEW.replace('{"clean"', '{"🔍–": done, "clean"')


@pytest.mark.parametrize("encoding", list(Encoding))
def test_findings_behind_wide_characters(tmp_path: Path, encoding: Encoding) -> None:
    _, opened = desk_with(tmp_path, encoding, review=WIDE)
    (found,) = [each for each in diagnostics(opened) if each.code == "SG106"]
    line = WIDE.split("\n")[found.range.start.line]
    units = UNITS[encoding]
    assert found.range.start.character == units(line[: line.index('"🔍–"')])
    assert found.range.end.character == units(line[: line.index('"🔍–"') + 4])


@wire
async def test_typing_behind_wide_characters(editor: Editor) -> None:
    """Changes of a client are applied where it meant them, form feeds and separators included."""
    odd = REVIEW.replace("def fix", "# \x0c \u2028 \x85 🔍\ndef fix").replace(
        "looks", "lo\u2028oks"
    )
    file = editor.open("review", odd)
    file.type('{"clean": done', '{"🔍": done, "clean": done')
    file.type("🔍 at it", "🔍🔍 at it")
    found = await editor.client.text_document_diagnostic_async(
        types.DocumentDiagnosticParams(file.id)
    )
    assert isinstance(found, types.RelatedFullDocumentDiagnosticReport)
    assert [file.shown(each.range) for each in found.items if each.code == "SG106"] == ['"🔍"']
    _check_symbols(await _symbols(file))


async def _symbols(file: File) -> list[types.DocumentSymbol]:
    params = types.DocumentSymbolParams(file.id)
    found = await file.editor.client.text_document_document_symbol_async(params)
    return [each for each in found or [] if isinstance(each, types.DocumentSymbol)]


def _check_symbols(found: list[types.DocumentSymbol]) -> None:
    assert [each.name for each in found[0].children or []] == ["inspect", "fix", "done"]
