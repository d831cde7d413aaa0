"""Pinned sources: a run executes copies of the modules it was started with.

In a worker. The finder stands before Python's own for the modules of the workflows folder and
of `segue.builtins`. Loading afresh it reads their files and notes each; running pinned it serves
the copies and nothing else. Once the workflow is loaded it is sealed: importing a neighbour that
was not pinned is an error, however late it comes.
"""

from __future__ import annotations

import importlib
import importlib.util
import linecache
import sys
from dataclasses import dataclass
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import TYPE_CHECKING, Final

from .. import limits
from .names import BUILTINS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

_ALONE: Final = "segue_workflow_"
_NOT_OURS: Final = frozenset(sys.stdlib_module_names) | {
    "segue",
    "pydantic",
    "pydantic_core",
    "annotated_types",
    "typing_extensions",
    "typing_inspection",
}
"""What Segue itself imports in a worker, some of it late: no author's file takes its place."""


@dataclass(frozen=True)
class Pinned:
    """The copy of one module. `file` is relative to the folder it was found in."""

    module: str
    file: str
    text: str
    package: bool = False


class PinnedFinder(MetaPathFinder, Loader):
    """Finds and loads the modules that a run pins."""

    def __init__(self, folder: Path, pinned: Sequence[Pinned] | None = None) -> None:
        self.folder = folder
        self.sealed = False
        self.frozen = None if pinned is None else {p.module: p for p in pinned}
        self.used: dict[str, Pinned] = {}

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,
        target: ModuleType | None = None,  # noqa: ARG002 - how Python calls every finder
    ) -> ModuleSpec | None:
        found = self._find(fullname, path)
        if found is None:
            return None
        self.used[fullname] = found
        origin = self._origin(found)
        spec = ModuleSpec(fullname, self, origin=origin, is_package=found.package)
        spec.has_location = True
        return spec

    def exec_module(self, module: ModuleType) -> None:
        pinned = self.used[module.__name__]
        name = self._origin(pinned)
        # Tracebacks then show the lines that ran, whatever is in the file by now.
        linecache.cache[name] = (len(pinned.text), None, pinned.text.splitlines(True), name)
        exec(compile(pinned.text, name, "exec"), module.__dict__)  # noqa: S102 - a module loader

    def _find(self, name: str, path: Sequence[str] | None) -> Pinned | None:
        if not self._ours(name):
            return None
        if self.frozen is not None and name in self.frozen:
            return self.frozen[name]
        base = Path(path[0]) if name.startswith(BUILTINS) and path else self.folder
        parts = name.removeprefix(BUILTINS).split(".")
        for tail, package in ((".py", False), ("/__init__.py", True)):
            file = "/".join(parts) + tail
            if (base / file).is_file():
                return self._read(name, base, file, package=package)
        return None

    def _ours(self, name: str) -> bool:
        head = name.partition(".")[0]
        return name.startswith(BUILTINS) or head not in _NOT_OURS

    def _read(self, name: str, base: Path, file: str, *, package: bool) -> Pinned:
        if self.sealed or self.frozen is not None:
            raise ImportError(
                f"{file} was not loaded when the run started, so the run has no copy of it:"
                " import it at the top of the workflow"
            )
        return Pinned(name, file, read_source(base / file), package)

    def _origin(self, pinned: Pinned) -> str:
        if pinned.module.startswith(BUILTINS):
            return str(
                Path(importlib.import_module("segue").__file__ or "").parent
                / "builtins"
                / pinned.file
            )
        return str(self.folder / pinned.file)


def read_source(path: Path) -> str:
    """Read a module's text.

    Raises:
        ImportError: It is too large, or not text.
    """
    data = path.read_bytes()
    if len(data) > limits.SOURCE_BYTES:
        raise ImportError(f"{path.name} has {len(data):,} bytes; at most {limits.SOURCE_BYTES:,}")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ImportError(f"{path.name} is not UTF-8: {error}") from error


def load(
    folder: Path, module: str, pinned: Sequence[Pinned] | None = None
) -> tuple[ModuleType, list[Pinned]]:
    """Import a workflow module; give it and the copies of all it loaded of ours.

    Raises:
        BaseException: Whatever the module raises.
    """
    finder = PinnedFinder(folder, pinned)
    sys.meta_path.insert(0, finder)
    taken = not finder._ours(module) or module in sys.modules
    if finder.frozen is not None:
        taken = _ALONE + module in finder.frozen
    root = _alone(finder, module) if taken else importlib.import_module(module)
    finder.sealed = True
    return root, sorted(finder.used.values(), key=lambda p: p.module)


def _alone(finder: PinnedFinder, module: str) -> ModuleType:
    """Load a workflow whose file is named like a module in use, without hiding that one."""
    name = _ALONE + module
    if finder.frozen is not None:
        pinned = finder.frozen[name]
    else:
        file = f"{module}.py"
        pinned = Pinned(name, file, read_source(finder.folder / file))
    finder.used[name] = pinned
    spec = ModuleSpec(name, finder, origin=finder._origin(pinned))
    made = importlib.util.module_from_spec(spec)
    sys.modules[name] = made
    finder.exec_module(made)
    return made
