"""Where a bug leaves its traceback: the state folder, readable by its owner only."""

from __future__ import annotations

import os
import tempfile
import time
import traceback
from pathlib import Path


def write() -> Path:
    """Write the traceback of the exception being handled and give the file."""
    folder = _folder()
    name = time.strftime("crash-%Y%m%d-%H%M%S-") + f"{os.getpid()}.log"
    path = folder / name
    fd = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600)
    with os.fdopen(fd, "w", encoding="utf-8", errors="backslashreplace") as file:
        file.write(traceback.format_exc())
    return path


def _folder() -> Path:
    from segue.session import paths

    try:
        home = paths.state_home(os.environ).path
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
    except Exception:
        return Path(tempfile.gettempdir())
    return home
