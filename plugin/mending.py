"""Applies the safe edits of findings to a file, as long as that helps."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from segue.session.errors import SegueError
from segue.session.workflow.rules import check_module
from segue.session.workflow.source.document import Document
from segue.session.workflow.source.text import Edit, apply_all

if TYPE_CHECKING:
    from collections.abc import Iterable

    from segue.session.workflow.findings import Finding
    from segue.session.workflow.source.library import Library

_ROUNDS: Final = 10
"""One edit may bring another finding to light; more rounds than this would be going in circles."""


def mend(path: Path, library: Library) -> int:
    """Rewrite a file with every safe edit applied and give how many there were."""
    module = library.open(path)
    if module is None:
        return 0
    document, count = module.document, 0
    for _ in range(_ROUNDS):
        found = [f for f in check_module(library.put(document)) if f.fix and f.fix.safe]
        better = _applied(document, found) if found else document
        # An edit that breaks the text was not mechanical after all.
        if better.text.data == document.text.data or len(better.breaks) > len(document.breaks):
            break
        document, count = better, count + len(found)
    library.put(document)
    if count:
        _write(path, document.text.data)
    return count


def _applied(document: Document, findings: Iterable[Finding]) -> Document:
    edits = [
        Edit(change.start, change.end, change.new.encode())
        for finding in findings
        if finding.fix is not None
        for change in finding.fix.changes
    ]
    return Document.read(document.path, apply_all(document.text.data, edits))


def _write(path: Path, data: bytes) -> None:
    """Replace a file in one step, with the mode that it had."""
    target = path.resolve()
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(name).chmod(target.stat().st_mode & 0o777)
        Path(name).replace(target)
    except OSError as error:
        raise SegueError(f"cannot write {path}: {error.strerror}") from error
