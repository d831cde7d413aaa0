"""What ships with Segue: each built-in's revision, and the digests that it was recorded with.

A run of a built-in pins its sources, so that a revision has to name exactly one text. Whoever
changes a built-in, or what it includes, raises `revision=` and records it:

    python -m segue.builtins.catalogue --record

Without `--record` it says what differs. A revision that was never released can be recorded
again once its entry is taken out of `catalogue.json`.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from segue.session.workflow.snapshot import Definition

FILE = Path(__file__).with_name("catalogue.json")
COMMAND = "python -m segue.builtins.catalogue --record"


@dataclass(frozen=True, slots=True)
class Entry:
    """One built-in.

    Attributes:
        input: The fields of its input; `?` marks those that may be left out.
        exits: How it ends, by name.
        definition: Digest of the compiled graph, schemas included.
        schemas: The pydantic that made those schemas: another one may write them differently.
        sources: Digest of each module that a run of it pins, by file.
    """

    revision: int
    title: str
    description: str
    mount_only: bool
    input: tuple[str, ...]
    exits: tuple[str, ...]
    definition: str
    schemas: str
    sources: Mapping[str, str]

    def same(self, other: Entry) -> bool:
        """Whether both are one definition, as far as can be told here."""
        if self.schemas == other.schemas and self.definition != other.definition:
            return False
        return self.sources == other.sources


def read(file: Path = FILE) -> dict[str, Entry]:
    """Give what is recorded, by name."""
    data: dict[str, dict[str, Any]] = json.loads(file.read_text("utf-8"))
    return {name: _entry(each) for name, each in data.items()}


def _entry(data: dict[str, Any]) -> Entry:
    return Entry(**{**data, "input": tuple(data["input"]), "exits": tuple(data["exits"])})


def load() -> dict[str, Entry]:
    """Load every built-in, as a run would, and give what is to be recorded.

    Raises:
        SegueError: One of them cannot be run.
    """
    import pydantic

    from segue.session.clock import SystemClock
    from segue.session.engine.child import Worker
    from segue.session.limits import LOAD_SECONDS
    from segue.session.loader import load as load_one
    from segue.session.workflow.discovery import discover

    nowhere, clock, made = FILE.parent, SystemClock(), {}
    for found in discover(nowhere, nowhere / "none"):
        worker = Worker(clock)
        try:
            loaded = load_one(found, nowhere, worker, clock, LOAD_SECONDS)
        finally:
            worker.kill()
        sources = {file: digest for _, file, digest in loaded.sources}
        made[found.name] = _made(loaded.definition, sources, pydantic.VERSION)
    return made


def _made(definition: Definition, sources: dict[str, str], schemas: str) -> Entry:
    schema: dict[str, Any] = definition.input_schema or {}
    required = schema.get("required", [])
    fields = schema.get("properties", {})
    return Entry(
        revision=definition.revision,
        title=definition.title,
        description=definition.description,
        mount_only=definition.mount_only,
        input=tuple(name if name in required else f"{name}?" for name in fields),
        exits=tuple(definition.exits),
        definition=definition.digest().hex(),
        schemas=schemas,
        sources=dict(sorted(sources.items())),
    )


def problems(recorded: Mapping[str, Entry], made: Mapping[str, Entry]) -> list[str]:
    """Say what keeps the built-ins from being recorded as they are."""
    found = []
    for name, entry in made.items():
        old = recorded.get(name)
        if entry.revision < 1:
            found.append(f"{name}: give it revision=1")
        elif old is not None and entry.revision < old.revision:
            found.append(f"{name}: revision {old.revision} is recorded already, it has less")
        elif old is not None and entry.revision == old.revision and not entry.same(old):
            found.append(f"{name}: changed, and still revision {old.revision}: raise revision=")
    return found


def differences(recorded: Mapping[str, Entry], made: Mapping[str, Entry]) -> list[str]:
    """Say what of the built-ins is not recorded, what hinders it first."""
    found = problems(recorded, made)
    said = {line.partition(":")[0] for line in found}
    for name in sorted({*recorded, *made} - said):
        old, entry = recorded.get(name), made.get(name)
        if old is None and entry is not None:
            found.append(f"{name}: revision {entry.revision} is not recorded: {COMMAND}")
        elif entry is None:
            found.append(f"{name}: recorded, and not there: {COMMAND}")
        elif old is not None and (old.revision != entry.revision or not old.same(entry)):
            found.append(f"{name}: revision {entry.revision} is not recorded: {COMMAND}")
    return found


def record(made: Mapping[str, Entry], file: Path = FILE) -> None:
    data = {name: asdict(made[name]) for name in sorted(made)}
    file.write_text(json.dumps(data, indent=2) + "\n", "utf-8")


def main(args: Sequence[str]) -> int:
    """Record the built-ins, or say what differs."""
    made, recorded = load(), read() if FILE.exists() else {}
    wrong = problems(recorded, made) if "--record" in args else differences(recorded, made)
    for line in wrong:
        print(line, file=sys.stderr)
    if wrong:
        return 1
    if "--record" in args:
        record(made)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
