"""File URIs and paths (P-F2)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from segue.plugin.server import uris

NAMES = st.text(
    st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1, max_size=20
)


@given(st.lists(NAMES, min_size=1, max_size=5))
def test_a_path_comes_back_from_its_uri(names: list[str]) -> None:
    path = "/" + "/".join(names)
    uri = uris.uri_of(path, windows=False)
    assert uris.path_of(uri, windows=False) == path
    assert uris.uri_of(uris.path_of(uri, windows=False) or "", windows=False) == uri


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///c%3A/a%20b/x.py", "c:\\a b\\x.py"),
        ("file:///C:/a%23b/x.py", "c:\\a#b\\x.py"),
        ("file://server/share/x.py", "\\\\server\\share\\x.py"),
        ("file:///c:", "c:"),
    ],
)
def test_windows_spellings(uri: str, path: str) -> None:
    assert uris.path_of(uri, windows=True) == path
    again = uris.uri_of(path, windows=True)
    assert uris.path_of(again, windows=True) == path


@pytest.mark.parametrize("uri", ["untitled:x", "", "file:", "file:///a%00b", "file:///%ff", "x"])
def test_what_names_no_file(uri: str) -> None:
    assert uris.path_of(uri, windows=False) is None


def test_two_spellings_are_one_file() -> None:
    assert uris.same("file:///a%3Bb/%63", "file:///a;b/c")
    assert uris.same("file://localhost/a", "file:///a")
    assert not uris.same("file:///a", "file:///b")
    assert uris.same("untitled:1", "untitled:1")
