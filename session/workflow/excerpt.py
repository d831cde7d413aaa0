"""A bounded view of a large value."""

from __future__ import annotations

from typing import Any

from ..canonical import compact


def excerpt(value: object, chars: int, reference: str | None) -> str:
    """Give at most `chars` characters: the head and the tail, and a marker between them."""
    text = value if isinstance(value, str) else _text(value)
    if len(text) <= chars:
        return text
    where = (
        f'; the whole: workflow tool, action "read", reference "{reference}"' if reference else ""
    )
    marker = f"\n[... {len(text):,} characters in all, the middle is left out{where} ...]\n"
    room = chars - len(marker)
    if room <= 0:
        return text[: max(chars, 0)]
    head = room * 2 // 3
    tail = room - head
    return text[:head] + marker + (text[-tail:] if tail else "")


def _text(value: Any) -> str:
    dump = getattr(value, "model_dump_json", None)
    if callable(dump):
        return str(dump())
    try:
        return compact(value)
    except (TypeError, ValueError):
        return str(value)
