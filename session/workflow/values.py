"""Values that cross between Segue and author code."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict


class NoInput(BaseModel):
    """The input of a workflow that takes none."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class ShellResult(BaseModel):
    """What a command left behind. Streams hold the last 1,000,000 characters of each."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    stdout: str = ""
    stderr: str = ""
    exit_code: int = 0
    stdout_dropped: int = 0
    """Characters of standard output that came before what is kept."""
    stderr_dropped: int = 0


class Decision(BaseModel):
    """The model's pick among declared choices. Each decision narrows `choice` to its own."""

    choice: str
    reason: str


class HumanDecision(BaseModel):
    """A person's pick among declared choices, and how it came about."""

    choice: str
    text: str | None = None
    provenance: Literal["human", "timeout", "policy"] = "human"
