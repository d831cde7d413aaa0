"""The handles an author holds: nodes, mounts, exits, ports, and what a switch may rest on.

A handle is a name with a type. It holds the author's callback for the worker and the line
where it was written for messages; it decides nothing.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import (
    TYPE_CHECKING,
    Any,
    Final,
    Generic,
    Literal,
    Protocol,
    TypeAlias,
    TypeVar,
    overload,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .definition import Workflow

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
U = TypeVar("U")

_OURS = "segue.session."

Effect: TypeAlias = Literal["idempotent", "manual"]
"""What may be done when a crash leaves an action's effect unknown: run it again, or ask."""


class Outcome:
    """The type of `OUTCOME`: route on how a step ended, not on what it said."""

    VALUES: Final = ("ok", "failed", "timed_out")

    def __repr__(self) -> str:
        return "OUTCOME"


OUTCOME: Final = Outcome()


@dataclass(frozen=True)
class Place:
    """Where something was written: a file as the interpreter knew it, and a line from 1."""

    file: str
    line: int


class Source(Protocol[T_co]):
    """What `ctx.output` can read: a node, or a mount's exit seen from outside."""

    def key(self) -> tuple[str, ...]:
        """The names that lead to the value from the workflow that reads it."""

    def value_type(self) -> Callable[[], T_co] | None:
        """Ties the handle to its type for checkers; the runtime asks `Node.output`."""


@dataclass(eq=False)
class Node(Generic[T]):
    """One node of a workflow. `T` is the type of its output.

    Not covariant: a checker would then find a common base for `exit(..., output=Other)`.
    """

    name: str
    kind: str
    place: Place
    owner: Any = field(repr=False)
    fn: Callable[..., Any] | None = field(default=None, repr=False)
    output: Any = None
    settings: Mapping[str, Any] = field(default_factory=dict)

    def key(self) -> tuple[str, ...]:
        return (self.name,)

    def value_type(self) -> Callable[[], T] | None:
        return None


@dataclass(eq=False)
class Exit(Generic[T_co]):
    """A named end of a workflow, for others that include it."""

    name: str
    node: Node[Any]
    output: Any
    place: Place

    def value_type(self) -> Callable[[], T_co] | None:
        return None


@dataclass(eq=False)
class Port(Generic[T_co]):
    """A mount's exit seen from the workflow that includes it: an edge's source, a value."""

    mount: Mount[Any]
    exit_name: str
    place: Place

    def key(self) -> tuple[str, ...]:
        return (self.mount.name, self.exit_name)

    def value_type(self) -> Callable[[], T_co] | None:
        return None


@dataclass(eq=False)
class Mount(Generic[T]):
    """A workflow included in another under a name. `T` is its input model."""

    name: str
    workflow: Workflow[T]
    fn: Callable[..., Any] = field(repr=False)
    owner: Any = field(repr=False)
    place: Place

    @overload
    def exit(self, which: Exit[U], /) -> Port[U]: ...
    @overload
    def exit(self, which: str, /) -> Port[Any]: ...
    def exit(self, which: Exit[Any] | str, /) -> Port[Any]:
        return Port(self, which if isinstance(which, str) else which.name, here())


def here() -> Place:
    """The nearest place on the stack outside Segue: where the author wrote the call."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(_OURS):
        frame = frame.f_back
    return Place(frame.f_code.co_filename, frame.f_lineno)


Target: TypeAlias = "Node[Any] | Mount[Any] | str"
"""Where an edge may lead: a handle, or the name of one."""
EdgeSource: TypeAlias = "Node[Any] | Port[Any]"
"""Where an edge may start."""
Case: TypeAlias = Any
"""A value of the field that a switch rests on: text, bool, integer or Enum member."""
