"""What has changed in a run's source files since it was started: it goes on with its copies."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from .canonical import digest_text
from .store.values import text_of
from .workflow.names import BUILTINS

if TYPE_CHECKING:
    from .store.connection import Connection
    from .store.records import Run


class Drift(NamedTuple):
    """A source file that is not what the run has pinned; `now` is None where it is gone."""

    path: Path
    pinned: str
    now: str | None

    def diff(self, lines: int) -> list[str]:
        """Give a unified diff from the copy to the file, at most so many lines of it."""
        from difflib import unified_diff

        new = (self.now or "").splitlines()
        made = list(unified_diff(self.pinned.splitlines(), new, "pinned", "now", "", "", 1, ""))
        more = len(made) - lines
        return made if more <= 0 else [*made[:lines], f"... and {more} more lines"]


def drifts(db: Connection, run: Run) -> list[Drift]:
    """Give the pinned sources of a run whose files have changed."""
    folder = Path(json.loads(run.launch).get("folder", run.project))
    made = []
    for module, file, pinned in json.loads(run.sources):
        path = (_builtins() if module.startswith(BUILTINS) else folder) / file
        now = _read(path)
        if now is None or digest_text(now).hex() != pinned:
            made.append(Drift(path, text_of(db, bytes.fromhex(pinned)), now))
    return made


def _builtins() -> Path:
    return Path(__file__).parents[1] / "builtins"


def _read(path: Path) -> str | None:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return None
