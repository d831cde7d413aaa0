"""What a host tells: notifications, which are not answered."""

from __future__ import annotations

from pydantic import Field

from .base import Message, OfSession


class Findings(Message):
    """What is found in a conversation."""

    entries: list[str] = Field(
        default=[], description="Ids of Segue's messages on the current branch."
    )
    queued: list[str] = Field(default=[], description="Ids taken and not yet put there.")
    idle: bool = Field(
        default=True, description="No turn runs and no input of the person is queued."
    )
    full: bool = Field(
        default=True,
        description="The whole branch was looked at; only then can a message be missing.",
    )


class TurnStarted(OfSession):
    """A turn has begun."""

    cause: str | None = Field(
        default=None,
        description="The id of the message that began it, `user` for a person's prompt, null where"
        " the host cannot tell.",
    )


class Seen(OfSession):
    """A message has come into the conversation."""

    message: str


class Report(OfSession, Findings):
    """What is found in the conversation, unasked."""


class Compacted(OfSession):
    """The conversation was compacted: the open step is said again, once."""

    event: str = Field(max_length=1_000, description="The host's own id of it.")


class BranchMoved(OfSession):
    """The person went to another branch of the conversation."""

    report: Findings
