"""What a host asks for: a person's commands, the model's tool, the end of a turn."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from .base import CallId, Json, JsonObject, Message, OfSession, Text


class OfferedMessage(Message):
    """A message for the conversation."""

    id: str = Field(description="Keep it beside the text; reports name it.")
    kind: str = Field(
        description="`step`, `reminder`, `resumed`, `restated`, `fallback`: a turn starts;"
        " `notice`: none does."
    )
    text: str
    starts_turn: bool
    details: JsonObject = Field(
        description="For a card: `kind`, `workflow`, `run`, `request`, `step`."
    )


class Command(OfSession):
    """What the person typed after `/workflow`."""

    text: Text
    id: CallId = ""


class CommandResult(Message):
    """What to show the person."""

    text: str
    data: JsonObject
    notices: list[str]


class Tool(OfSession):
    """The model called the tool `workflow`."""

    arguments: Json = Field(description="As the model sent them; a wrong call gets a named error.")
    id: CallId = ""


class ToolResult(Message):
    """What the model gets. It is an answer, not an error, when `ok` is false."""

    ok: bool
    text: str
    data: JsonObject
    message: OfferedMessage | None = Field(
        default=None, description="The next step, for hosts with the `in_turn` door."
    )


class TurnEnded(OfSession):
    """A turn has ended and the host is idle; await the answer before letting anything else in."""

    outcome: Literal["completed", "aborted", "failed"] = Field(
        description="`aborted` by the person, `failed` by the provider."
    )
    text: Text = Field(default="", description="The turn's last visible text.")
    error: Annotated[str, Field(max_length=100_000)] = Field(
        default="", description="What the provider said."
    )
    id: CallId = ""


class TurnEndedResult(Message):
    """What comes next."""

    message: OfferedMessage | None = Field(
        default=None, description="To be said now, for hosts with the `at_stop` door."
    )
    notices: list[str]


class Complete(OfSession):
    """Complete what the person has typed after `/workflow` so far."""

    text: Annotated[str, Field(max_length=10_000)] = ""


class CompleteItem(Message):
    """One way to go on."""

    value: str = Field(description="All of the text after `/workflow`, with this taken.")
    label: str
    description: str


class CompleteResult(Message):
    """The ways to go on."""

    items: list[CompleteItem]


class Status(OfSession):
    """Ask for the session's run."""


StatusResult = dict[str, Any]
