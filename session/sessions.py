"""Which session a call comes from, and which project a session belongs to.

The host's id is taken verbatim (O1). A small index file, made exclusively at a session's first
attachment, maps it to its project for ever: a hook that fires in another folder finds the run.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import unicodedata
from typing import TYPE_CHECKING, Final

from .errors import SegueError, StateError
from .ownership import SessionKey

if TYPE_CHECKING:
    from pathlib import Path

ID_CHARS: Final = 1_000
"""Hosts' ids are UUIDs, file names or short words; a longer one is a mistake."""
_UNEXPANDED: Final = re.compile(r"\$\{[^}]*\}|\$[A-Z_][A-Z0-9_]*\Z|%[A-Z_][A-Z0-9_]*%\Z")
_HOST: Final = re.compile(r"[a-z][a-z0-9-]{0,39}\Z")


class SessionUnknown(SegueError):
    """The host did not say which session this is."""

    code = "session_unknown"


def check(host: object, session_id: object) -> SessionKey:
    """Give the key of a session, or refuse the id.

    Two ids that differ only in case or in Unicode form are two sessions.

    Raises:
        SessionUnknown: Missing, blank, an unexpanded variable, control characters, too long.
    """
    if not isinstance(host, str) or not _HOST.match(host):
        raise SessionUnknown(f"{host!r} does not name a host (lowercase letters, digits, '-')")
    if not isinstance(session_id, str) or not session_id.strip():
        raise SessionUnknown(f"{host} gave no session id: nothing was started or changed")
    if _UNEXPANDED.search(session_id):
        raise SessionUnknown(
            f"{host} gave {session_id[:80]!r} as session id: a variable that was not filled in"
        )
    if len(session_id) > ID_CHARS:
        raise SessionUnknown(
            f"{host} gave a session id of {len(session_id):,} characters; at most {ID_CHARS:,}"
        )
    if any(unicodedata.category(char) in ("Cc", "Cs") for char in session_id):
        raise SessionUnknown(f"{host} gave a session id with control characters")
    return SessionKey(host, session_id)


def parse_key(text: str) -> SessionKey:
    """Read `host:id` as typed on a command line; raises as `check`."""
    host, colon, session_id = text.partition(":")
    if not colon:
        raise SessionUnknown(f"{text!r} is no session: write HOST:ID; `segue sessions` lists them")
    return check(host, session_id)


def _index(home: Path, key: SessionKey) -> Path:
    digest = hashlib.sha256(f"{key.host}\0{key.id}".encode()).hexdigest()
    return home / "sessions" / digest[:40]


def project_of(home: Path, key: SessionKey) -> str | None:
    """Give the project that a session was bound to at its first attachment."""
    try:
        data = json.loads(_index(home, key).read_text("utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise StateError(f"{_index(home, key)}: cannot be read: {error}") from error
    if (data.get("host"), data.get("id")) != (key.host, key.id):
        raise StateError(f"{_index(home, key)}: belongs to another session")
    project: str = data["project"]
    return project


def bind(home: Path, key: SessionKey, project: Path) -> str:
    """Bind a session to a project, once; give the project that it is bound to.

    The file appears whole or not at all, and the first of two processes wins.
    """
    path = _index(home, key)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    mine = path.with_name(f".{path.name}.{os.getpid()}")
    data = json.dumps({"host": key.host, "id": key.id, "project": str(project)})
    fd = os.open(mine, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600)
    with os.fdopen(fd, "w", encoding="utf-8") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    try:
        os.link(mine, path)
    except FileExistsError:
        pass
    finally:
        mine.unlink()
    bound = project_of(home, key)
    assert bound is not None
    return bound
