"""Rules about names: of the workflow, of nodes and of mounts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..findings import Code
from ..names import RESERVED, is_part_name, is_workflow_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..findings import Finding
    from ..source.graph import MountSource, NodeSource
    from .view import View


def check(view: View) -> Iterator[Finding]:
    yield from _workflow(view)
    seen: dict[str, NodeSource | MountSource] = {}
    for part in view.parts:
        if not is_part_name(part.name):
            message = f"'{part.name}' cannot name a node: use letters, digits, '_' or '-'"
            yield view.finding(Code.RESERVED_NAME, message, part.name_span, part.name)
        first = seen.setdefault(part.name, part)
        if first is not part:
            line = view.module.document.text.position(first.name_span[0]).line
            message = f"'{part.name}' is declared in line {line} already: rename one of them"
            yield view.finding(Code.DUPLICATE_NAME, message, part.name_span, part.name)


def _workflow(view: View) -> Iterator[Finding]:
    name = view.workflow.name
    if name is None:
        return
    if not is_workflow_name(name):
        message = f"'{name}' cannot name a workflow: use lowercase words joined by '-'"
    elif name in RESERVED:
        message = f"'{name}' is a word of /workflow: choose another name for the file"
    else:
        return
    yield view.finding(Code.RESERVED_NAME, message, view.workflow.name_span, name)
