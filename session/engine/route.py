"""Where a step leads: pure functions of the definition and of how the step ended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from ..workflow.snapshot import OUTCOME_PATH, Definition, EdgeDef
from .state import RunEvent, StepState

if TYPE_CHECKING:
    from ..canonical import Json

_END: Final = {
    StepState.OK: RunEvent.COMPLETE,
    StepState.FAILED: RunEvent.FAIL,
    StepState.TIMED_OUT: RunEvent.TIME_OUT,
}


class Go(NamedTuple):
    """The next step is at this node."""

    path: str


class Stop(NamedTuple):
    """The run ends."""

    event: RunEvent
    reason: str | None = None
    exit: str | None = None


Onward: TypeAlias = Go | Stop


def onward(
    definition: Definition, path: str, outcome: StepState, output: Json, reason: str | None
) -> Onward:
    """Decide what follows a step of node `path` that ended as `outcome` with `output`.

    A failure that is not routed ends the run as the step ended. A value that no case names is a
    failure of the run: never a fall through.
    """
    edge = definition.node(path).edge
    if edge.on == OUTCOME_PATH:
        return _case(definition, path, edge, str(outcome), "how the step ended")
    if outcome is not StepState.OK:
        if edge.failure is not None:
            return Go(edge.failure)
        return Stop(_END[outcome], reason)
    if edge.on is None:
        target = edge.cases[0][1] if edge.cases else None
        return _to(definition, path, target)
    try:
        value = field(output, edge.on)
    except LookupError as error:
        return Stop(RunEvent.FAIL, f"no route: {path} has no {error} in its output")
    return _case(definition, path, edge, value, f"'{edge.on}'")


def _case(definition: Definition, path: str, edge: EdgeDef, value: Json, what: str) -> Onward:
    for case, target in edge.cases:
        if type(case) is type(value) and case == value:
            return _to(definition, path, target)
    return Stop(RunEvent.FAIL, f"no route: {path} has no case for {value!r} of {what}")


def _to(definition: Definition, path: str, target: str | None) -> Onward:
    if target is not None:
        return Go(target)
    return Stop(RunEvent.COMPLETE, exit=definition.exit_of(path))


def needs_output(edge: EdgeDef) -> bool:
    """Whether routing reads the output: large ones are not parsed for nothing."""
    return edge.on is not None and edge.on != OUTCOME_PATH


def field(output: Json, path: str) -> Json:
    """Give the value at a field path.

    Raises:
        LookupError: With the part that is missing.
    """
    here = output
    for part in path.split("."):
        if not isinstance(here, dict) or part not in here:
            raise LookupError(part)
        here = here[part]
    return here
