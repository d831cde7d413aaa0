"""Which files `check` looks at, and where their imports are found. Nothing is imported or run."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from segue.session.errors import NotFound, UsageError
from segue.session.workflow.source.library import Library

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

BUILTINS: Final = Path(__file__).resolve().parents[1] / "builtins"
_SKIPPED: Final = frozenset([".git", ".venv", "venv", "node_modules", "__pycache__", ".tox"])


def library() -> Library:
    """Give a fresh look at files on disk."""
    return Library({"segue.builtins": BUILTINS}, builtins=builtin_names())


@cache
def builtin_files() -> tuple[Path, ...]:
    """Give the files of the workflows that ship with Segue; their catalogue is none."""
    from segue.session.workflow.glance import glance

    return tuple(file for file in sorted(BUILTINS.glob("[!_.]*.py")) if glance(file).declares)


def builtin_names() -> frozenset[str]:
    from segue.session.workflow.names import workflow_name

    return frozenset(workflow_name(file.stem) for file in builtin_files())


def files(paths: Sequence[Path]) -> list[Path]:
    """Give the workflow files that are meant, each once.

    Raises:
        UsageError: For a path that does not exist.
        NotFound: For a folder without any.
    """
    found: dict[Path, None] = {}
    for path in paths:
        if path.is_dir():
            inside = list(_in_folder(path.absolute()))
            if not inside:
                raise NotFound(
                    f"there are no workflows in {path}: they lie in .segue/workflows/*.py;"
                    " write one with `segue new`"
                )
            found |= dict.fromkeys(inside)
        elif path.is_file():
            found[path.absolute()] = None
        else:
            raise UsageError(f"there is no file or folder {path}")
    return list(found)


def _in_folder(folder: Path) -> Iterator[Path]:
    """Give the files of a project, of its `.segue`, or of a folder of workflows."""
    for workflows in (folder / ".segue" / "workflows", folder / "workflows", folder):
        nested = workflows.parent.name == ".segue"
        if nested and workflows.is_dir():
            yield from sorted(workflows.glob("*.py"))
            return
    if folder.samefile(BUILTINS):
        yield from (file for file in sorted(folder.glob("*.py")) if file.stem != "catalogue")
        return
    for below in sorted(_below(folder)):
        yield from sorted(below.glob("*.py"))


def _below(folder: Path) -> Iterator[Path]:
    """Find the workflow folders of projects inside a folder."""
    todo = [folder]
    while todo:
        here = todo.pop()
        workflows = here / ".segue" / "workflows"
        if workflows.is_dir():
            yield workflows
        try:
            todo += [
                each
                for each in here.iterdir()
                if each.is_dir()
                and not each.is_symlink()
                and each.name not in _SKIPPED
                and not each.name.startswith(".")
            ]
        except OSError:
            continue


def shown(path: Path) -> str:
    """Give a path as a person would type it here."""
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)
