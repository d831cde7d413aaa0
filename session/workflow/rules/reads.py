"""The rule about reading what cannot be there: an output that no path can have produced."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from ..findings import Code
from ..source.expr import Attr, Call, Name
from ..source.graph import MountSource, NodeSource, Target, TargetKind
from ..source.module import Handle
from ..source.types import value_of
from .components import ordered
from .flow import closure
from .view import END, OUTCOME

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ..findings import Finding
    from ..source.expr import Expr
    from ..source.graph import EdgeSource
    from .view import View

Key: TypeAlias = "tuple[str, str | None]"
"""A node's name and nothing, or a mount's and its exit's."""


def check(view: View) -> Iterator[Finding]:
    if not view.settled:
        return
    reached = closure([view.start], view.onward)
    reach = Reach(view)
    for part in view.parts:
        if part.name not in reached:
            continue
        for callback in view.callbacks(part):
            for read in callback.body.reads if callback.body is not None else ():
                if read.latest:
                    continue
                problem = _problem(view, reach, part.name, read.source)
                if problem is not None:
                    subject, message = problem
                    span = (callback.base + read.span[0], callback.base + read.span[1])
                    yield view.finding(Code.NEVER_PRODUCED, message, span, subject)


def _problem(view: View, reach: Reach, reader: str, source: Expr) -> tuple[str, str] | None:
    target = read_target(view, source)
    if target is None:
        return None
    name = target.name
    if target.kind is TargetKind.ELSEWHERE:
        return name, f"'{name}' is a node of another workflow: read the exit of a mount"
    if target.kind is TargetKind.MOUNT:
        return name, f"mount '{name}' has no output of its own: read {name}.exit(...)"
    key = (name, view.exit_name(target) if target.kind is TargetKind.PORT else None)
    if target.kind is TargetKind.PORT and key[1] is None:
        return None
    if reach.produced(key, reader):
        return None
    shown = name if key[1] is None else f"{name}.exit({key[1]!r})"
    return name, (
        f"'{shown}' cannot have run before '{reader}' does: read what leads here,"
        " or use ctx.latest(..., default)"
    )


def read_target(view: View, source: Expr) -> Target | None:
    """Say what `ctx.output(source)` reads; None where text does not settle it."""
    match source:
        case Name():
            return _handle(view, source)
        case Call(fn=Attr(base=base, name="exit"), args=[which, *_]):
            mount = _handle(view, base) if isinstance(base, Name) else None
            if mount is None or mount.kind is not TargetKind.MOUNT:
                return None
            return Target(TargetKind.PORT, mount.name, source.span, which, which.span)
        case _:
            return None


def _handle(view: View, source: Name) -> Target | None:
    meaning = view.module.of_name(source.id)
    if not isinstance(meaning, Handle) or meaning.part is None:
        return None
    if meaning.workflow is not view.workflow:
        return Target(TargetKind.ELSEWHERE, meaning.part.name, source.span)
    match meaning.part:
        case NodeSource(name=name):
            return Target(TargetKind.NODE, name, source.span)
        case MountSource(name=name):
            return Target(TargetKind.MOUNT, name, source.span)
        case _:
            return None


class Reach:
    """Which parts can run after which: sets as the bits of whole numbers."""

    def __init__(self, view: View) -> None:
        self._bit = {part.name: 1 << index for index, part in enumerate(view.parts)}
        self._after = _after(view.onward, self._bit)
        self._well: dict[Key, int] = {}
        for edge in view.workflow.edges:
            self._add(view, edge)

    def _add(self, view: View, edge: EdgeSource) -> None:
        """Note what can run once the edge's source has ended well."""
        if edge.form == "on_failure":
            return
        port = edge.source.kind is TargetKind.PORT
        key = (edge.source.name, view.exit_name(edge.source) if port else None)
        by_outcome = view.on(edge) is OUTCOME
        for case in edge.cases:
            known = value_of(view.module, case.key)
            if by_outcome and known is not None and known[0] != "ok":
                continue
            self._well[key] = self._well.get(key, 0) | self._after.get(case.target.name, 0)

    def produced(self, key: Key, reader: str) -> bool:
        """Whether some path to `reader` has the output of `key` behind it."""
        return bool(self._well.get(key, 0) & self._bit[reader])


def _after(onward: Mapping[str, set[str]], bit: Mapping[str, int]) -> dict[str, int]:
    """Give for each part all that can run from there on, itself included."""
    after: dict[str, int] = {}
    for members in ordered(onward):
        reach = 0
        for name in members:
            reach |= bit[name]
            for target in onward[name]:
                if target != END:
                    reach |= after.get(target, 0)
        for name in members:
            after[name] = reach
    return after
