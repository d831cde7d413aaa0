"""JSON values for people: on one line where they fit, else one key a line."""

from __future__ import annotations

import json
from typing import Any

from .width import width


def pretty(value: Any, columns: int, indent: str = "") -> str:
    """Give JSON text that breaks only where it is too wide."""
    one = json.dumps(value, ensure_ascii=False)
    if width(indent) + width(one) <= columns or not isinstance(value, (dict, list)) or not value:
        return one
    deeper = indent + "  "
    if isinstance(value, dict):
        items = [
            f"{json.dumps(key, ensure_ascii=False)}: {pretty(item, columns, deeper)}"
            for key, item in value.items()
        ]
        opening, closing = "{}"
    else:
        items = [pretty(item, columns, deeper) for item in value]
        opening, closing = "[]"
    inner = ",\n".join(deeper + item for item in items)
    return f"{opening}\n{inner}\n{indent}{closing}"


def bounded(text: str, lines: int) -> str:
    """Give the first lines of a text and how many were left out."""
    listed = text.split("\n")
    if len(listed) <= lines:
        return text
    return "\n".join([*listed[:lines], f"… {len(listed) - lines:,} more lines"])
