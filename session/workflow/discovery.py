"""Which workflows can be run here: the project's, the user's, the built-ins, nearest first.

Files are read as text and never imported (S1): `glance.py` tells what a list shows. A name
means the nearest file that has it; what it hides can still be named by its reference.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal, TypeAlias, get_args

from ..errors import NotFound, WorkflowError
from ..paths import config_folder
from .glance import glance
from .names import is_workflow_name, workflow_name

Origin: TypeAlias = Literal["project", "user", "builtin", "path"]

_NEAREST_FIRST: Final[tuple[Origin, ...]] = ("project", "user", "builtin")
_BUILTINS = Path(__file__).parents[2] / "builtins"


@dataclass(frozen=True, slots=True)
class Found:
    """One workflow file.

    Attributes:
        name: What it is started by: the file's stem, with `-` for `_`.
        ref: What a run stores: `project:review`, `user:review`, `builtin:autoplan`, `path:/...`.
        path: The file, absolute.
        origin: Where it was found.
        title: What lists show beside the name, empty where the file does not say.
        description: One line; for a file that cannot be used, why.
        mount_only: Only good inside others: lists leave it out.
        shadows: References of the files of that name that are further away.
    """

    name: str
    ref: str
    path: Path
    origin: Origin
    title: str = ""
    description: str = ""
    mount_only: bool = False
    shadows: tuple[str, ...] = ()


def workflows_folder(project: Path) -> Path:
    return project / ".segue" / "workflows"


def discover(project: Path, user_dir: Path | None = None) -> list[Found]:
    """Give every workflow that a name reaches, nearest first.

    Two files of one folder can have one name (`a_b.py`, `a-b.py`): both are given.

    Raises:
        WorkflowError: For a folder that cannot be listed.
    """
    made: dict[tuple[str, Origin], list[Found]] = {}
    for found in _everything(project, user_dir):
        made.setdefault((found.name, found.origin), []).append(found)
    shown: list[Found] = []
    for (name, origin), same in made.items():
        nearness = _NEAREST_FIRST.index(origin)
        if any((name, nearer) in made for nearer in _NEAREST_FIRST[:nearness]):
            continue
        hidden = [made.get((name, further), []) for further in _NEAREST_FIRST[nearness + 1 :]]
        refs = tuple(found.ref for group in hidden for found in group)
        shown += [replace(found, shadows=refs) for found in same]
    return shown


def find(name: str, project: Path, user_dir: Path | None = None) -> Found:
    """Give the workflow that a person named.

    Args:
        name: A name, a reference such as `builtin:autoplan`, or a file's path (it has a
            separator or ends in `.py`), read from the project where it is relative.
        project: The project's root.
        user_dir: The user's workflows folder, for tests.

    Raises:
        NotFound: With the candidates and what to do next.
        WorkflowError: Where one folder has two files of that name (O8).
    """
    origin, colon, rest = name.partition(":")
    if colon and origin in get_args(Origin):
        if origin == "path":
            return _direct(rest, project)
        same = [f for f in _everything(project, user_dir) if f.ref == name]
        return _the_one(name, same, _everything(project, user_dir))
    if "/" in name or "\\" in name or name.endswith(".py"):
        return _direct(name, project)
    shown = discover(project, user_dir)
    return _the_one(name, [f for f in shown if f.name == workflow_name(name)], shown)


def _everything(project: Path, user_dir: Path | None) -> list[Found]:
    user = config_folder() / "workflows" if user_dir is None else user_dir
    return [
        *_folder(workflows_folder(project), "project"),
        *_folder(user, "user"),
        *(f for f in _folder(_BUILTINS, "builtin") if glance(f.path).declares),
    ]


def _folder(folder: Path, origin: Origin) -> list[Found]:
    try:
        files = sorted(folder.glob("*.py")) if folder.is_dir() else []
        return [_found(f, origin) for f in files if f.name[0] not in "_." and f.is_file()]
    except OSError as error:
        raise WorkflowError(
            f"{folder} cannot be read: {error.strerror}: check its permissions"
        ) from error


def _found(file: Path, origin: Origin) -> Found:
    name = workflow_name(file.stem)
    ref = f"path:{file}" if origin == "path" else f"{origin}:{name}"
    seen = glance(file)
    description = seen.description
    if not is_workflow_name(name):
        description = "rename the file: its stem has to be lowercase words joined by '_'"
    return Found(name, ref, file, origin, seen.title, description, seen.mount_only)


def _direct(name: str, project: Path) -> Found:
    # Absolute but not resolved: the name of a linked file is the link's.
    file = Path(project / Path(name).expanduser()).absolute()
    try:
        there = file.suffix == ".py" and file.is_file()
    except OSError:  # a name that is too long for the file system
        there = False
    if there:
        return _found(file, "path")
    raise NotFound(f"there is no workflow file {file}: check the path, or see `segue list`")


def _the_one(name: str, same: list[Found], candidates: list[Found]) -> Found:
    if len(same) == 1:
        return same[0]
    if same:
        files = " and ".join(str(found.path) for found in same)
        raise WorkflowError(f"'{name}' is the name of {files}: rename one, or give its path")
    if not candidates:
        raise NotFound(f"there is no workflow '{name}', nor any other: write one with `segue new`")
    raise NotFound(f"there is no workflow '{name}': {_suggestion(name, candidates)}")


def _suggestion(name: str, candidates: list[Found]) -> str:
    from difflib import get_close_matches

    names = list(dict.fromkeys(f.ref if ":" in name else f.name for f in candidates))
    near = get_close_matches(name, names, n=3)
    if near:
        return f"did you mean {' or '.join(repr(match) for match in near)}? See `segue list`"
    more = ", ..." if len(names) > 8 else ""
    return f"there are {', '.join(names[:8])}{more}; see `segue list`"
