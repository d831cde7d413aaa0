"""A run as `segue/changed` shows it: at most 64 KiB, however long the run is."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class _Shown(BaseModel):
    # Views are written in snake_case: the tool and the command line print them as they are.
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class NodeView(_Shown):
    """One node of the workflow."""

    node: str
    kind: str
    status: str = Field(description="What a person reads while it runs.")
    state: str = Field(description="Of its latest visit; `new` before the first.")
    visits: int


class StepView(_Shown):
    """One step."""

    step: int
    node: str
    visit: int
    state: str
    reason: str | None


class RequestView(_Shown):
    """What the run asks now."""

    id: str
    kind: Literal["output", "reply", "checkpoint", "human"]
    node: str | None
    text: str | None
    choices: list[str]
    wants_text: list[str]
    shown: str = Field(description="The digest to answer with (H2).")
    deadline: int | None
    rejected: int = Field(description="How many answers were refused so far.")


class ProgressView(_Shown):
    """How far the open step says it is."""

    completed: float
    total: float | None
    unit: str
    message: str
    rate: float | None
    eta: float | None


class View(_Shown):
    """A session's run. `{"run": null}` where there is none."""

    run: str
    session: str = Field(description="`HOST:ID`.")
    workflow: str
    title: str
    status: Literal[
        "queued",
        "running",
        "waiting",
        "paused",
        "completed",
        "failed",
        "timed_out",
        "cancelled",
        "ambiguous",
    ]
    reason: str | None = Field(description="Why it stands still, from a closed set.")
    detail: str | None = Field(description="The same in a sentence.")
    next: str | None = Field(description="What goes on with it, typed at a terminal.")
    next_here: str | None = Field(description="The same, typed in the session.")
    revision: int
    steps: int
    max_steps: int | None
    node: str | None = Field(description="Where it is.")
    exit: str | None
    created_at: int = Field(description="Milliseconds since the epoch.")
    ended_at: int | None
    elapsed_ms: int
    nodes: list[NodeView] = Field(description="At most 40, around the active one.")
    latest: list[StepView] = Field(description="At most 20.")
    request: RequestView | None
    progress: ProgressView | None
    output: str | None = Field(description="The end's output as JSON text, cut.")
