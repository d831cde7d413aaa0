"""What every message has in common: camelCase, exact types, unknown fields passed over."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

Json: TypeAlias = Any
"""Any JSON value."""
JsonObject: TypeAlias = dict[str, Any]


class Message(BaseModel):
    """Parameters or a result."""

    model_config = ConfigDict(
        alias_generator=to_camel, populate_by_name=True, extra="ignore", strict=True, frozen=True
    )

    def wire(self) -> JsonObject:
        """Give the message as it is sent."""
        return self.model_dump(mode="json", by_alias=True)


Text = Annotated[str, Field(max_length=1_000_000)]
CallId = Annotated[
    str,
    Field(
        max_length=1_000,
        description="The host's own id of the call; a repeated one starts nothing twice.",
    ),
]


class Session(Message):
    """One conversation in one host."""

    host: str = Field(description="Lowercase letters, digits and '-', such as `pi`.")
    id: str = Field(description="The host's own id of the conversation, verbatim.")


class OfSession(Message):
    """What names a session that was attached on this connection."""

    session: Session


class Nothing(Message):
    """No content."""
