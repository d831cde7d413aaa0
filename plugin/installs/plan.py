"""What an installation writes: shown before it is done, recorded so that it can be undone.

Only files that are Segue's own are ever removed: the record lists each with its digest, and one
that somebody has changed since is left where it is and named.
"""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from segue import __version__
from segue.session.errors import SegueError

RECORD: Final = ".segue-installed.json"


@dataclass(frozen=True)
class Plan:
    """Files to write below one folder, by relative name."""

    host: str
    folder: Path
    files: dict[str, bytes]

    @property
    def record(self) -> Path:
        return self.folder / RECORD

    def lines(self) -> list[str]:
        """Say what would be written, one line a file."""
        made = []
        for name, data in sorted(self.files.items()):
            path = self.folder / name
            now = path.read_bytes() if path.is_file() else None
            what = "write" if now is None else "same" if now == data else "replace"
            made.append(f"{what:<8}{path} ({len(data):,} bytes)")
        return made

    def state(self) -> str:
        """Tell `missing`, `current` or `outdated`."""
        if not self.record.exists():
            return "missing"
        same = all(
            (self.folder / name).is_file() and (self.folder / name).read_bytes() == data
            for name, data in self.files.items()
        )
        return "current" if same else "outdated"

    def apply(self) -> None:
        """Write the files and the record of them.

        Raises:
            SegueError: A file that is not Segue's stands in the way, or cannot be written.
        """
        known = read_record(self.folder)
        for name, data in self.files.items():
            path = self.folder / name
            if path.exists() and name not in known and path.read_bytes() != data:
                raise SegueError(f"{path} is there and is not Segue's: move it away first")
        try:
            for name in known.keys() - self.files.keys():
                _remove(self.folder / name, known[name])
            for name, data in self.files.items():
                _write(self.folder / name, data)
            digests = {name: _digest(data) for name, data in self.files.items()}
            made = {"host": self.host, "segue": __version__, "files": digests}
            _write(self.record, json.dumps(made, indent=2).encode() + b"\n")
        except OSError as error:
            raise SegueError(f"{error.filename}: {error.strerror}") from error

    def undo(self) -> list[Path]:
        """Remove what was written; give what was left because somebody has changed it.

        Raises:
            SegueError: Nothing is recorded there.
        """
        known = read_record(self.folder)
        if not known:
            raise SegueError(f"nothing of Segue is installed in {self.folder}")
        left = [
            self.folder / name
            for name, digest in known.items()
            if not _remove(self.folder / name, digest)
        ]
        self.record.unlink()
        inside = {self.folder / up for name in known for up in Path(name).parents}
        for folder in sorted(inside, reverse=True):
            with suppress(OSError):
                folder.rmdir()
        with suppress(OSError):
            self.folder.rmdir()
        return left


def read_record(folder: Path) -> dict[str, str]:
    """Give name and digest of every file that Segue has written there."""
    try:
        data = json.loads((folder / RECORD).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    files: dict[str, str] = data.get("files", {})
    return files


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _write(path: Path, data: bytes) -> None:
    """Write a file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f".{path.name}.{os.getpid()}")
    new.write_bytes(data)
    new.replace(path)


def _remove(path: Path, digest: str) -> bool:
    """Remove a file of ours; False where somebody has changed it since."""
    if not path.is_file():
        return True
    if _digest(path.read_bytes()) != digest:
        return False
    path.unlink()
    return True


def folder_files(source: Path, suffixes: tuple[str, ...]) -> dict[str, bytes]:
    """Give the glue's files below a folder of the package."""
    return {
        str(path.relative_to(source)): path.read_bytes()
        for path in sorted(source.rglob("*"))
        if path.is_file() and path.suffix in suffixes
    }
