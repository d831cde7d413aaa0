"""What the built-ins share: field types with named limits, and how a prompt shows its material."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import BaseModel, ConfigDict, StringConstraints

ID_CHARS = 48
TITLE_CHARS = 100
LINE_CHARS = 240
PARAGRAPH_CHARS = 1_200
TEXT_CHARS = 2_000

Id = Annotated[
    str, StringConstraints(pattern=r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$", max_length=ID_CHARS)
]
"""A name that stays the same from one answer to the next: lowercase words joined by `-`."""
Title = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=3, max_length=TITLE_CHARS)
]
Line = Annotated[str, StringConstraints(strip_whitespace=True, min_length=3, max_length=LINE_CHARS)]
Paragraph = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=10, max_length=PARAGRAPH_CHARS)
]
Text = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=10, max_length=TEXT_CHARS)
]


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


def block(name: str, text: str | None) -> str:
    """Fence a piece of material, so that where it begins and ends is never in doubt."""
    return f"\n\n<{name}>\n{text}\n</{name}>" if text else ""


def bullets(items: Sequence[str], none: str = "none") -> str:
    return "\n".join(f"- {item}" for item in items) or f"- {none}"
