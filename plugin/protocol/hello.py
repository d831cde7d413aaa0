"""Attaching a session to this process, and letting go of it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from .base import JsonObject, Message, OfSession


class Abilities(Message):
    """What the host can do and prove; product.md section 7."""

    doors: list[Literal["push", "in_turn", "at_stop"]] = Field(
        default=["push"],
        description="How messages get in: `push` by `segue/offer`, `in_turn` with the tool's"
        " result, `at_stop` with the answer to `segue/turnEnded`.",
    )
    evidence: Literal["entry", "receipt", "none"] = Field(
        default="entry",
        description="The proof that a message is in the conversation: `entry`, it is found there by"
        " id; `receipt`, only the host's word; `none`.",
    )
    wake: bool = Field(default=True, description="A push reaches a session that was idle for long.")
    abort: bool = Field(default=True, description="`segue/abort` can stop a running turn.")
    reply_text: bool = Field(default=True, description="Turns end with their last visible text.")
    sees_abort: bool = Field(default=True, description="It tells that a person stopped a turn.")


class Attach(Message):
    """Connect this process to a session; it takes over from any older connection of it."""

    protocol: int = Field(description="The version that the client speaks.")
    host: str = Field(description="The host's name: lowercase letters, digits and '-'.")
    host_version: str = Field(default="", max_length=200, description="For bug reports.")
    session: str = Field(description="The host's own id of the conversation, verbatim.")
    instance: Annotated[str, Field(min_length=1, max_length=200)] = Field(
        description="Names the running process of the host. The same one goes on after a restart of"
        " this server; under another one a run waits for the person's `resume`."
    )
    cwd: str = Field(description="The session's working folder, absolute.")
    reason: str = Field(default="startup", max_length=200, description="The host's word for why.")
    capabilities: Abilities = Field(default=Abilities())
    trusted: bool = Field(
        default=False, description="The host's own workspace trust covers the working folder."
    )
    patience: Annotated[float, Field(ge=0, le=300, strict=False)] = Field(
        default=0.0,
        description="Seconds that an answer may wait for the next step, to carry it along.",
    )
    forked_from: str | None = Field(
        default=None, description="The session that this one is a copy of; it owns nothing of it."
    )
    cleared_from: str | None = Field(
        default=None, description="The session whose place this one took under a new id."
    )


class VerbInfo(Message):
    """One word after `/workflow`."""

    name: str
    usage: str
    help: str


class WorkflowInfo(Message):
    """One workflow that can be started here."""

    name: str
    title: str
    description: str


class ToolInfo(Message):
    """The one tool that the model gets."""

    name: str
    description: str
    parameters: JsonObject = Field(alias="schema", description="The arguments' JSON Schema.")


class Attached(Message):
    """The server's hello."""

    protocol: int
    segue: str = Field(description="Segue's version.")
    project: str = Field(description="The root of the project that the session belongs to.")
    view: JsonObject | None = Field(description="The session's run, as in `segue/changed`.")
    notices: list[str] = Field(description="To be shown to the person.")
    verbs: list[VerbInfo]
    workflows: list[WorkflowInfo]
    tool: ToolInfo


class Detach(OfSession):
    """Let go of a session; its run stands as it is stored."""
