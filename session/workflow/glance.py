"""What a list shows of a workflow file, read from its text: nothing of it is run (S1).

A glance is for people. Whether the file is right is said by `segue check`, and what it means
only by loading it.
"""

from __future__ import annotations

import ast
import warnings
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from .. import limits

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Glance:
    """`declares` tells whether the module calls `Workflow(...)` at its top."""

    title: str = ""
    description: str = ""
    mount_only: bool = False
    declares: bool = False


def glance(file: Path) -> Glance:
    """Read a file's title and description; what is wrong with it becomes the description."""
    try:
        if file.stat().st_size > limits.SOURCE_BYTES:
            return Glance(description=f"larger than {limits.SOURCE_BYTES:,} bytes: not read")
        data = file.read_bytes()
    except OSError as error:
        return Glance(description=f"cannot be read: {error.strerror}")
    return _of_text(data, file.name)


@lru_cache(maxsize=128)
def _of_text(data: bytes, name: str) -> Glance:
    """Parse once what has not changed: a list, a start by name reads every file's title."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the author's escapes are not the reader's concern
            tree = ast.parse(data, name)
    except SyntaxError as error:
        where = f" in line {error.lineno}" if error.lineno else ""
        return Glance(description=f"syntax error{where}: {error.msg}")
    except (ValueError, RecursionError, MemoryError) as error:
        return Glance(description=f"cannot be parsed: {error or type(error).__name__}")
    return _of_tree(tree)


def _of_tree(tree: ast.Module) -> Glance:
    said = _first_line(ast.get_docstring(tree) or "")
    for call in _calls(tree):
        given = {k.arg: k.value.value for k in call.keywords if isinstance(k.value, ast.Constant)}
        return Glance(
            title=_text(given.get("title")),
            description=_first_line(_text(given.get("description"))) or said,
            mount_only=given.get("mount_only") is True,
            declares=True,
        )
    return Glance(description=said)


def _calls(tree: ast.Module) -> Iterator[ast.Call]:
    """Give the `name = Workflow(...)` of a module, `segue.Workflow` and annotations included."""
    for statement in tree.body:
        if not isinstance(statement, (ast.Assign, ast.AnnAssign)):
            continue
        value = statement.value
        if not isinstance(value, ast.Call):
            continue
        made = value.func.value if isinstance(value.func, ast.Subscript) else value.func
        name = made.attr if isinstance(made, ast.Attribute) else getattr(made, "id", "")
        if name == "Workflow":
            yield value


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _first_line(text: str) -> str:
    return text.strip().partition("\n")[0].strip()
