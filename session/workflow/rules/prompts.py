"""The rule about prompts whose fixed text alone is over the ceiling."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from ...limits import PROMPT_CHARS
from ..findings import Code
from ..source.facts import Assign
from ..source.module import Here
from ..source.prompts import fixed_chars

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..findings import Finding
    from ..source.graph import NodeSource
    from .view import View

TEXTS: Final = frozenset(
    "agent assistant decision notify checkpoint human_decision".split(),
)
"""Kinds whose callback gives a text."""
_REPEATED: Final = re.compile(rb"[\"']\s*\*|\*\s*(?:[\"']|\d)")
_LONG: Final = PROMPT_CHARS // 8
"""Constants from this length on are worth a look at whoever names them."""


def check(view: View) -> Iterator[Finding]:
    long = _long_names(view)
    for node in view.workflow.nodes:
        if node.kind not in TEXTS or not _worth_a_look(view, node, long):
            continue
        chars = fixed_chars(view.module, node)
        if chars > PROMPT_CHARS:
            message = (
                f"the fixed text of '{node.name}' has {chars:,} characters and a prompt has at"
                f" most {PROMPT_CHARS:,}: put the text into a file that the step reads"
            )
            yield view.finding(Code.PROMPT_TOO_LONG, message, node.name_span, node.name)


def _worth_a_look(view: View, node: NodeSource, long: re.Pattern[bytes] | None) -> bool:
    """Tell cheaply whether a prompt can be over the ceiling at all."""
    start, end = node.span
    if end - start > PROMPT_CHARS:
        return True
    source = view.module.document.text.data[start:end]
    return bool(_REPEATED.search(source) or (long is not None and long.search(source)))


def _long_names(view: View) -> re.Pattern[bytes] | None:
    """Give a pattern for the names of long texts of this file and of those beside it."""
    names = [name for name in view.module.names if _is_long(view, name)]
    if not names:
        return None
    return re.compile(rb"\b(?:" + b"|".join(re.escape(n.encode()) for n in names) + rb")\b")


def _is_long(view: View, name: str) -> bool:
    meaning = view.module.of_name(name)
    if not isinstance(meaning, Here) or not isinstance(meaning.fact, Assign):
        return False
    placed = meaning.placed
    source = meaning.module.document.text.data[placed.start : placed.end]
    return len(source) > _LONG or bool(_REPEATED.search(source))
