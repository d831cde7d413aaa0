"""File URIs and paths, both ways the same (P-F2); pygls' own splits a path at `;`.

`c%3A` and `C:` are one drive, spaces and `#` are escaped, a share is `//host/name`.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from urllib.parse import quote, unquote

_DRIVE = re.compile(r"/([A-Za-z])(?::|%3[Aa])(?=/|\Z)")
_SAFE = "/~!$&'()*+,;=@"


def path_of(uri: str, *, windows: bool = sys.platform == "win32") -> str | None:
    """Give the path that a file URI names; None for any other URI."""
    scheme, colon, rest = uri.partition(":")
    if scheme.lower() != "file" or not colon:
        return None
    rest = re.split(r"[?#]", rest, maxsplit=1)[0]
    host, path = "", rest
    if rest.startswith("//"):
        host, slash, tail = rest[2:].partition("/")
        path = slash + tail
    if host.lower() == "localhost":
        host = ""
    drive = _DRIVE.match(path) if windows else None
    if drive is not None:
        path = f"{drive[1].lower()}:{path[drive.end() :]}"
    try:
        made = unquote(path, errors="strict")
    except UnicodeDecodeError:
        return None
    if not made or "\0" in made:
        return None
    if host:
        made = f"//{unquote(host)}{made}"
    return made.replace("/", "\\") if windows else made


def uri_of(path: str | Path, *, windows: bool = sys.platform == "win32") -> str:
    """Give a path's URI, spelled one way only."""
    text = str(path)
    if windows:
        text = text.replace("\\", "/")
        if re.match(r"[A-Za-z]:", text):
            return f"file:///{text[0].lower()}:{quote(text[2:], safe=_SAFE)}"
    if text.startswith("//"):
        return "file:" + quote(text, safe=_SAFE)
    return "file://" + quote(text, safe=_SAFE)


def folder_path(uri: str) -> Path | None:
    """Give the path of a URI on this system."""
    found = path_of(uri)
    return None if found is None else Path(found)


def same(one: str, other: str) -> bool:
    """Whether two URIs name one file, however they are spelled."""
    return one == other or key(one) == key(other)


def key(uri: str) -> str:
    """Give the normalized form to compare by."""
    found = path_of(uri)
    return uri if found is None else uri_of(found)
