"""Which projects a person trusts: opening one runs nothing of it (S1).

A trusted project is a file in the state home, named by the digest of its root. The host's own
workspace trust counts for the attachment that tells it and is not stored.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def _mark(home: Path, project: Path) -> Path:
    digest = hashlib.sha256(os.fsencode(project.resolve())).hexdigest()[:40]
    return home / "trusted" / digest


def is_trusted(home: Path, project: Path) -> bool:
    """Whether a person has said that this project's workflows may run."""
    try:
        return _mark(home, project).read_text("utf-8") == str(project.resolve())
    except OSError:
        return False


def trust(home: Path, project: Path) -> None:
    """Let this project's workflows run."""
    mark = _mark(home, project)
    mark.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    fd = os.open(mark, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600)
    with os.fdopen(fd, "w", encoding="utf-8") as file:
        file.write(str(project.resolve()))


def revoke(home: Path, project: Path) -> None:
    """Take the trust back; runs under way go on with what they pinned."""
    with suppress(FileNotFoundError):
        _mark(home, project).unlink()
