"""Pages of what a view or a prompt only shows an excerpt of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from .errors import NotFound
from .store import steps
from .store.values import text_of

if TYPE_CHECKING:
    from .store.connection import Connection
    from .store.records import Run

PAGE_CHARS: Final = 16_000
"""One page of a value: well under what a tool result may carry in any host."""


def read_reference(db: Connection, run: Run, reference: str, offset: int) -> dict[str, Any]:
    """Give a page of what `output:NODE` or `input` refers to.

    Raises:
        NotFound: The run has no such value.
    """
    text = _text(db, run, reference)
    start = max(0, min(offset, len(text)))
    end = start + PAGE_CHARS
    return {
        "reference": reference,
        "text": text[start:end],
        "offset": start,
        "total_chars": len(text),
        "next_offset": end if end < len(text) else None,
    }


def _text(db: Connection, run: Run, reference: str) -> str:
    kind, _, path = reference.partition(":")
    if reference == "input":
        return text_of(db, run.input)
    if kind == "output" and path:
        found = steps.latest_output(db, run.pk, path)
        if found is not None:
            return text_of(db, found)
        raise NotFound(f"run {run.id} has no output of '{path[:80]}' now")
    raise NotFound(f"{reference[:80]!r} is no reference; write input or output:NODE")
