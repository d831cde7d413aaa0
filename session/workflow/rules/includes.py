"""Rules about mounts: what is included is a workflow, and never this one again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..findings import Code
from ..source.module import Here

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..findings import Finding
    from ..source.module import Handle
    from .view import View


def check(view: View) -> Iterator[Finding]:
    for mount in view.workflow.mounts:
        inner = view.included(mount)
        if inner is None:
            meaning = view.module.meaning(mount.workflow) if mount.workflow is not None else None
            if isinstance(meaning, Here):
                message = f"mount '{mount.name}': what is included has to be a workflow"
                yield view.finding(Code.UNKNOWN_TARGET, message, mount.workflow_span, mount.name)
            continue
        way = _way_back(inner, view)
        if way is not None:
            shown = " -> ".join([view.workflow.name or "?", *way])
            message = f"mount '{mount.name}' includes this workflow again ({shown}): take one out"
            yield view.finding(Code.INCLUDE_CYCLE, message, mount.name_span, mount.name)


def _way_back(start: Handle, home: View) -> list[str] | None:
    """Give the names along which the included workflow leads back to this one."""
    from .view import View

    todo: list[tuple[Handle, list[str]]] = [(start, [start.workflow.name or "?"])]
    seen: set[int] = set()
    while todo:
        handle, way = todo.pop()
        same_file = handle.module.document.path == home.module.document.path
        if same_file and handle.workflow.variable == home.workflow.variable:
            return way
        if id(handle.workflow) in seen:
            continue
        seen.add(id(handle.workflow))
        view = View(handle.module, handle.workflow)
        for mount in handle.workflow.mounts:
            inner = view.included(mount)
            if inner is not None:
                todo.append((inner, [*way, inner.workflow.name or "?"]))
    return None
