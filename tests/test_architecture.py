"""The house's walls: which way imports point, and what stays out of which room."""

from __future__ import annotations

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]
ROOMS = ("session", "builtins", "plugin")
"""From the bottom up: a room may import itself and those before it."""
OTHERS = ("segue", "tests", "bench", "examples")


class Import(NamedTuple):
    file: str
    line: int
    module: str
    relative: bool

    def __str__(self) -> str:
        return f"{self.file}:{self.line} imports {self.module}"


def _files(folder: str) -> list[Path]:
    # The rooms are also linked from `segue/`: seen once, at the top.
    found = (ROOT / folder).rglob("*.py")
    linked = tuple(ROOT / "segue" / room for room in ROOMS)
    return sorted(f for f in found if not any(f.is_relative_to(link) for link in linked))


@cache
def _imports(folder: str) -> list[Import]:
    return [found for file in _files(folder) for found in _read(file)]


def _read(file: Path) -> Iterator[Import]:
    place = file.relative_to(ROOT)
    package = ("segue", *place.parts[:-1]) if place.parts[0] in ROOMS else place.parts[:-1]
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(str(place), node.lineno, alias.name, relative=False)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            dotted = ".".join([*base, *([node.module] if node.module else [])])
            # `from segue import plugin` reaches a room as `import segue.plugin` does.
            for alias in node.names:
                name = f"{dotted}.{alias.name}" if dotted == "segue" else dotted
                yield Import(str(place), node.lineno, name, relative=node.level > 0)


def _is(module: str, *packages: str) -> bool:
    return any(module == package or module.startswith(package + ".") for package in packages)


def _none(broken: list[Import]) -> None:
    assert not broken, "\n".join(map(str, broken))


@pytest.mark.parametrize("room", ROOMS)
def test_imports_point_one_way(room: str) -> None:
    """Plugin -> builtins -> session: the core knows nothing of what stands on it."""
    above = [f"segue.{other}" for other in ROOMS[ROOMS.index(room) + 1 :]]
    _none([i for i in _imports(room) if _is(i.module, *above)])


@pytest.mark.parametrize("room", ROOMS)
def test_relative_inside_a_room_and_absolute_across(room: str) -> None:
    """Otherwise a type checker sees two copies of one class (style.md section 4)."""
    own = f"segue.{room}"
    broken = [i for i in _imports(room) if i.relative != _is(i.module, own)]
    # A built-in is written as an author would write it: both ways are right there.
    _none([i for i in broken if room != "builtins" or i.relative])


@pytest.mark.parametrize("folder", [*ROOMS, *OTHERS])
def test_nobody_imports_a_room_past_the_package(folder: str) -> None:
    """`import session` works in a checkout and makes a second copy of every class."""
    _none([i for i in _imports(folder) if not i.relative and _is(i.module, "session", "plugin")])


def test_the_builtins_folder_is_no_regular_package() -> None:
    """With an `__init__.py` it would shadow the library's `builtins` for mypy."""
    assert not (ROOT / "builtins" / "__init__.py").exists()


def test_only_the_store_knows_sql() -> None:
    outside = [i for room in (*ROOMS, "segue") for i in _imports(room) if _is(i.module, "sqlite3")]
    _none([i for i in outside if not i.file.startswith("session/store/")])


def test_the_core_knows_no_editor() -> None:
    _none([i for i in _imports("session") if _is(i.module, "pygls", "lsprotocol")])


@pytest.mark.parametrize("folder", [*ROOMS, *OTHERS])
def test_each_module_opens_with_what_it_owns(folder: str) -> None:
    bare = [f for f in _files(folder) if not ast.get_docstring(ast.parse(f.read_bytes()))]
    assert not [str(f.relative_to(ROOT)) for f in bare if "corpus" not in f.parts]


HEAVY = ("pydantic", "pygls", "lsprotocol", "tree_sitter", "psutil")


@pytest.mark.parametrize(
    "light",
    [
        "segue",
        "segue.__main__",
        "segue.plugin.cli",
        "segue.session.errors",
        "segue.session.paths",
        "segue.session.process",
        "segue.session.workflow.discovery",
        "segue.session.workflow.findings",
        "segue.session.workflow.names",
        "segue.session.workflow.snapshot",
    ],
)
def test_short_commands_and_hooks_stay_light(light: str) -> None:
    """What they import brings none of the large packages (product.md section 9)."""
    code = f"import sys, {light}; print([m for m in {HEAVY} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "[]\n", done.stderr or done.stdout
