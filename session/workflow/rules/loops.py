"""The rule about loops that only `max_steps` would end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..findings import Code
from ..source.graph import MountSource, NodeSource
from .components import components

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..findings import Finding
    from ..source.module import Handle
    from .view import View

_PAUSES = frozenset(["wait", "checkpoint", "human_decision"])
_DEEPEST = 12


def check(view: View) -> Iterator[Finding]:
    """Take out what ends or slows a loop; a loop that is left has nothing of the kind."""
    if not view.settled:
        return
    bare = {part.name for part in view.parts if not bounded(view, part)}
    onward = {name: view.onward[name] & bare for name in view.onward if name in bare}
    for loop in components(onward):
        first = next(part for part in view.parts if part.name in loop)
        shown = ", ".join(part.name for part in view.parts if part.name in loop)
        message = (
            f"only max_steps ends the loop of {shown}: read ctx.visit or ctx.latest in it,"
            " wait, or ask a person"
        )
        yield view.finding(Code.ENDLESS_LOOP, message, first.name_span, first.name)


def bounded(view: View, part: NodeSource | MountSource) -> bool:
    """Whether a loop through this part has something that may end it, as far as is known."""
    deep = [view.deep(callback) for callback in view.callbacks(part)]
    if any(each.visit or each.latest or not each.known for each in deep):
        return True
    if isinstance(part, MountSource):
        return pauses(view.included(part))
    return part.kind in _PAUSES


def pauses(included: Handle | None, depth: int = 0) -> bool:
    """Whether an included workflow waits or asks a person anywhere; unknown ones might."""
    from .view import View

    if included is None or included.workflow.open or depth > _DEEPEST:
        return True
    view = View(included.module, included.workflow)
    return any(node.kind in _PAUSES for node in included.workflow.nodes) or any(
        pauses(view.included(mount), depth + 1) for mount in included.workflow.mounts
    )
