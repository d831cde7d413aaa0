"""Where state lives, and which folder is the project.

Paths are canonical before anything is derived from them, so that a symlink and its target are
one project, and two different folders never share state. Nothing here makes a folder except
`prepare`, and that only after it has looked at the file system underneath.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from .errors import StateError, UsageError
from .filesystems import NETWORK, file_system_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

Why: TypeAlias = Literal["--state", "SEGUE_STATE_DIR", "config", "default"]

_MOVE = "set SEGUE_STATE_DIR, or state_dir in Segue's config.toml, to a folder that fits"
_NAME_CHARS = 40


class StateHome(NamedTuple):
    """The folder that holds every project's state, and which setting chose it."""

    path: Path
    why: Why
    warnings: tuple[str, ...] = ()


def config_folder() -> Path:
    """Give the folder of the user's own settings and workflows."""
    import platformdirs

    return platformdirs.user_config_path("segue")


def state_home(environ: Mapping[str, str], explicit: Path | None = None) -> StateHome:
    """Give the state folder: `--state`, `SEGUE_STATE_DIR`, the config file, the default.

    Args:
        environ: The process's environment.
        explicit: What the person typed after `--state`.

    Raises:
        UsageError: For a relative `SEGUE_STATE_DIR`: it would name another folder each time.
        StateError: Under pytest without one of the first two: a test never touches the
            person's own state.
    """
    if explicit is not None:
        return StateHome(Path(os.path.abspath(explicit.expanduser())), "--state")  # noqa: PTH100
    if given := environ.get("SEGUE_STATE_DIR", ""):
        if not Path(given).is_absolute():
            raise UsageError(f"SEGUE_STATE_DIR is {given!r}: give an absolute path")
        return StateHome(Path(given), "SEGUE_STATE_DIR")
    if "PYTEST_CURRENT_TEST" in environ:
        raise StateError(
            "a test asked for the person's own state folder: set SEGUE_STATE_DIR or give --state"
        )
    configured, warnings = _configured(config_folder() / "config.toml")
    if configured is not None:
        return StateHome(configured, "config", warnings)
    path, more = _default(environ)
    return StateHome(path, "default", (*warnings, *more))


def _configured(file: Path) -> tuple[Path | None, tuple[str, ...]]:
    """Read `state_dir`; a bad setting is told and passed over."""
    if not file.is_file():
        return None, ()
    import tomllib

    try:
        value = tomllib.loads(file.read_text("utf-8")).get("state_dir")
    except (OSError, ValueError) as error:  # UnicodeDecodeError and TOMLDecodeError are both
        return None, (f"{file} is ignored: {error}",)
    if value is None:
        return None, ()
    if not isinstance(value, str) or not Path(value).expanduser().is_absolute():
        return None, (f"{file}: state_dir is ignored: it has to be an absolute path",)
    return Path(value).expanduser(), ()


def _default(environ: Mapping[str, str]) -> tuple[Path, tuple[str, ...]]:
    import platformdirs

    path = platformdirs.user_state_path("segue")
    given = environ.get("XDG_STATE_HOME", "")
    if not given or Path(given).is_absolute():
        return path, ()
    if not path.is_absolute():  # platformdirs before 4.9 hands the relative value out
        path = Path.home() / ".local" / "state" / "segue"
    return path, (f"XDG_STATE_HOME is {given!r}, not an absolute path: ignored",)


def project_root(start: Path, explicit: Path | None = None) -> Path:
    """Give the project's canonical root.

    That is the nearest folder upward that holds `.segue/`, else the git work tree, else
    `start`. The home folder and those above it are nobody's project. A linked work tree is a
    project of its own even inside another one, so the search ends at its top.

    Raises:
        UsageError: For an explicit root that is not a folder.
    """
    if explicit is not None:
        return _explicit_root(explicit)
    here = start.resolve()
    tree = None
    for folder in _upward(here):
        if (folder / ".segue").is_dir():
            return folder
        if tree is None and (folder / ".git").exists():
            tree = folder
            if _is_linked_tree(folder / ".git"):
                break
    return tree or here


def _explicit_root(explicit: Path) -> Path:
    root = explicit.expanduser()
    if not os.path.isdir(root):  # noqa: PTH112 - also False, not an error, for a name too long
        what = "is not a folder" if os.path.exists(root) else "does not exist"  # noqa: PTH110
        raise UsageError(
            f"the project root {explicit} {what}: name an existing folder, or leave it out to"
            " take the nearest one with .segue/ or .git"
        )
    return root.resolve()


def _upward(here: Path) -> Iterator[Path]:
    try:
        home = Path.home().resolve()
    except RuntimeError:  # no home at all, as in some containers
        home = Path(here.anchor)
    for folder in (here, *here.parents):
        if folder == home or folder in home.parents:
            return
        yield folder


def _is_linked_tree(git: Path) -> bool:
    """Tell a `git worktree` from a clone (a folder) and a submodule (another kind of file)."""
    try:
        return git.is_file() and "/worktrees/" in git.read_text("utf-8", "replace")[:4096]
    except OSError:
        return False


def project_state(home: StateHome, root: Path) -> Path:
    """Give the database of a project: its name for people, a digest of its path for truth."""
    import hashlib

    canonical = root.resolve()
    digest = hashlib.sha256(os.fsencode(canonical)).hexdigest()[:16]
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", canonical.name)[:_NAME_CHARS].strip("-.")
    return home.path / "projects" / f"{name or 'project'}-{digest}" / "state.sqlite3"


def prepare(
    folder: Path,
    *,
    top: Path | None = None,
    file_system: Callable[[Path], str] = file_system_of,
) -> None:
    """Make a state folder that only this user can use, or say why it cannot be (S2).

    Args:
        folder: The folder that the database lies in.
        top: The state home above it; the folders between are held to the same rule.
        file_system: Tells the type of the file system under an existing folder.

    Raises:
        StateError: For a network file system (before anything is written), a folder that
            others can write into, or one that cannot be made. Existing modes are not changed.
    """
    existing = _nearest_existing(folder)
    if not existing.is_dir():
        raise StateError(f"cannot make {folder}: {existing} is not a folder: {_MOVE}")
    kind = file_system(existing)
    if kind in NETWORK:
        raise StateError(
            f"{folder} lies on a network file system ({kind}), where SQLite's locks are not"
            f" safe: {_MOVE}"
        )
    between = [p for p in folder.parents if top is not None and p.is_relative_to(top)]
    for made in (folder, *between):
        if made.exists():
            _refuse_shared(made)
    try:
        for missing in _missing(folder, existing):
            missing.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise StateError(f"cannot make {folder}: {error.strerror}: {_MOVE}") from error


def _nearest_existing(folder: Path) -> Path:
    """Give what there is of a path."""
    return next(p for p in (folder, *folder.parents) if p.exists())


def _missing(folder: Path, existing: Path) -> list[Path]:
    chain = [folder, *folder.parents]
    return chain[: chain.index(existing)][::-1]


def _refuse_shared(folder: Path) -> None:
    mode = folder.stat().st_mode
    if mode & 0o022:
        raise StateError(
            f"the state folder {folder} can be written by others (mode {mode & 0o7777:04o}):"
            f" run chmod 700 on it, or {_MOVE}"
        )
