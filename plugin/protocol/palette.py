"""The one object that a palette command takes; what is left out is asked for."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from .base import Json, Message, Text


class PaletteArguments(Message):
    """Arguments of `workspace/executeCommand`, the same for every command."""

    folder: str | None = Field(
        default=None, description="URI of the workspace folder, or of a file in it."
    )
    workflow: str | None = Field(default=None, description="A name, a reference or a file's path.")
    session: str | None = Field(default=None, description="`HOST:ID`.")
    run: str | None = Field(default=None, description="A run's id, or the beginning of it.")
    request: str | None = Field(default=None, description="answer: the request's id.")
    choice: str | None = Field(default=None, description="answer: one of the request's choices.")
    text: Text | None = Field(
        default=None, description="run: what the workflow is to work on; answer: the words."
    )
    input: Json = Field(default=None, description="run: the input as JSON, in place of text.")
    quiet: Annotated[bool, Field(description="Show nothing; the result says it.")] = False
    sure: Annotated[bool, Field(description="cancel, trust: the client has had it confirmed.")] = (
        False
    )


class PaletteResult(Message):
    """What a command gives."""

    text: str = Field(description="For the person.")
    dismissed: bool = Field(default=False, description="They closed a dialog: nothing was done.")
    data: dict[str, Json] = Field(default={})
