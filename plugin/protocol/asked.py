"""What the server asks of the client, and tells it."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from .base import JsonObject, Message, OfSession, Session
from .calls import OfferedMessage


class Offer(OfSession, OfferedMessage):
    """Put this into the conversation now, if it is idle; await nothing between look and send."""


class OfferResult(Message):
    """What became of it."""

    taken: Literal["seen", "taken", "busy"] = Field(
        description="`seen`: it is there; `taken`: it will be; `busy`: the session was not idle."
    )


class Conversation(OfSession):
    """Look at the conversation and say what is found."""


class Abort(OfSession):
    """Stop the running turn."""


class Ask(Message):
    """Ask the person. Sent only where `initializationOptions.segue.ask` is true."""

    session: Session | None = Field(
        default=None, description="Whose run asks; null for a question of a palette command."
    )
    request: str | None = Field(default=None, description="The human request it is about.")
    shown: str | None = Field(default=None, description="The digest of what is shown (H2).")
    kind: Literal["choice", "text", "confirm"]
    title: str
    text: str
    choices: list[str]
    wants_text: list[str] = Field(description="Choices that want a text beside them.")


class Answer(Message):
    """What the person said; null in its place where they closed the dialog."""

    choice: str | None = None
    text: str | None = None


class Changed(OfSession):
    """The session's run has changed."""

    view: JsonObject


class Log(Message):
    """Something for the host's log."""

    level: Literal["info", "warning", "error"]
    message: str
