"""Finds the workflow in a loaded module and says, in one line, why a module did not load."""

from __future__ import annotations

import traceback
from typing import TYPE_CHECKING, Any

from ..errors import LoadFailed
from .definition import Workflow
from .names import workflow_name

if TYPE_CHECKING:
    from types import ModuleType


def pick(module: ModuleType, stem: str) -> Workflow[Any]:
    """Give the one workflow that a module binds under its file's name.

    Raises:
        LoadFailed: For none or several; says what to write.
    """
    name = workflow_name(stem)
    bound = {id(v): v for v in vars(module).values() if isinstance(v, Workflow)}
    named = [w for w in bound.values() if w.name == name]
    if len(named) == 1:
        found = named[0]
        lines = (module.__doc__ or "").strip().splitlines()
        found.description = found.description or (lines[0] if lines else "")
        return found
    file = getattr(module, "__file__", None) or f"{stem}.py"
    if named:
        raise LoadFailed(f"{file}: binds more than one workflow '{name}': keep one")
    others = ", ".join(sorted(repr(w.name) for w in bound.values()))
    has = f"it binds {others}" if others else "it binds none"
    raise LoadFailed(
        f"{file}: a workflow named '{name}' after its file is missing ({has}):"
        f' write Workflow("{name}", ...), or rename the file'
    )


def why(error: BaseException, file: str) -> str:
    """Give one line: where in the author's file an import failed, and how."""
    if isinstance(error, SyntaxError) and error.filename:
        where = f"{error.filename}:{error.lineno}:{error.offset or 1}"
        return f"{where}: syntax error: {error.msg}"
    line = line_in(error, file)
    where = f"{file}:{line}" if line else file
    return f"{where}: {name_of(error)} while it was imported"


def name_of(error: BaseException) -> str:
    """Give an exception as people read it."""
    if isinstance(error, SystemExit):
        return f"sys.exit({error.code!r})"
    try:
        text = str(error).strip().splitlines()
    except Exception:  # an exception of the author's that cannot be read
        text = []
    return f"{type(error).__name__}: {text[0]}" if text else type(error).__name__


def line_in(error: BaseException, file: str) -> int | None:
    """Give the deepest line of `file` in a traceback."""
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename == file
    ]
    return lines[-1] if lines else None
