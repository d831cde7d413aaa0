"""A project's own settings, `.segue/config.toml`; what cannot be used warns and falls back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from . import limits

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Settings:
    """What a project may set.

    Attributes:
        python: The interpreter of the worker; empty for Segue's own.
        load_seconds: How long importing a workflow may take.
        warnings: What was wrong in the file, a line each.
    """

    python: str = ""
    load_seconds: float = limits.LOAD_SECONDS
    warnings: tuple[str, ...] = field(default=())


def read(project: Path) -> Settings:
    """Read a project's settings; a missing file means the defaults."""
    path = project / ".segue" / "config.toml"
    try:
        text = path.read_text("utf-8")
        import tomllib  # after reading: most projects have no file and do not pay for it

        data = tomllib.loads(text)
    except FileNotFoundError:
        return Settings()
    except (OSError, ValueError) as error:
        return Settings(warnings=(f"{path}: cannot be read, defaults are used: {error}",))
    worker: dict[str, Any] = data.get("worker", {}) if isinstance(data.get("worker"), dict) else {}
    warnings = [
        f"{path}: [worker] {key}: unknown setting"
        for key in sorted(worker.keys() - {"python", "load_seconds"})
    ]
    python, seconds = worker.get("python", ""), worker.get("load_seconds", limits.LOAD_SECONDS)
    if not isinstance(python, str):
        warnings.append(f"{path}: [worker] python has to be a path; Segue's own is used")
        python = ""
    if "/" in python:  # as written below the project, whatever folder we are in
        python = str(project / python)
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or seconds <= 0:
        warnings.append(f"{path}: [worker] load_seconds has to be more than 0; 30 is used")
        seconds = limits.LOAD_SECONDS
    return Settings(python, float(seconds), tuple(warnings))
