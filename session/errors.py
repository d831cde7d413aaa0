"""Everything Segue raises on purpose.

```text
SegueError               expected: one line, exit code 1
  UsageError             the call itself is wrong: exit code 2
  WorkflowError          the author's file: it names file, line and what to change
    WorkflowInvalid      the graph breaks a rule; carries the findings
    LoadFailed           the module could not be imported
  InputInvalid           input that does not fit the workflow's model
  StateError             the state database cannot be used as it is
  Conflict               somebody else changed the row first; reload and decide again
    LaunchConflict       the same run id was launched with other facts
    SessionBusy          the session already has a run that has not ended (O4)
  NotAllowed             the ownership table says no (O3)
  Fenced                 a newer attachment of the session took over (O7): step aside quietly
    Moved                a person moved the run to another session (O2): let go of it
  NotFound               no such run, request or workflow; names the candidates
  Illegal                an event that the transition table does not list
```

A subclass carries a stable `code`, which is what programs compare; the message is for people
and names the next step.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .workflow.findings import Finding


class SegueError(Exception):
    """Something expected went wrong."""

    code = "error"


class UsageError(SegueError):
    """The call itself is wrong."""

    code = "usage"


class WorkflowError(SegueError):
    """The workflow file cannot be used as it is."""

    code = "workflow_error"


class LoadFailed(WorkflowError):
    """The workflow's module could not be imported."""

    code = "load_failed"


class WorkflowInvalid(WorkflowError):
    """The workflow's graph breaks a rule."""

    code = "workflow_invalid"

    def __init__(self, message: str, findings: Sequence[Finding] = ()) -> None:
        super().__init__(message)
        self.findings = tuple(findings)


class InputInvalid(SegueError):
    """The input does not fit the workflow's input model."""

    code = "input_invalid"


class StateError(SegueError):
    """The state database cannot be used as it is."""

    code = "state_error"


class Conflict(SegueError):
    """Somebody else changed it first; reload and decide again."""

    code = "conflict"


class LaunchConflict(Conflict):
    """The same run id was launched before with other facts (O5)."""

    code = "launch_conflict"


class SessionBusy(Conflict):
    """The session already has a run that has not ended (O4)."""

    code = "session_busy"


class NotAllowed(SegueError):
    """Only the origin session may do that (O3)."""

    code = "not_origin"


class Fenced(SegueError):
    """A newer attachment of the session took over (O7)."""

    code = "fenced"


class Moved(Fenced):
    """A person moved the run to another session (O2)."""

    code = "moved"


class NotFound(SegueError):
    """There is no such thing; the message names the candidates (O8)."""

    code = "not_found"


class Illegal(SegueError):
    """The transition table does not list that event for that state."""

    code = "illegal"
