"""The protocol's one table: every method, who sends it, its parameters and its result."""

from __future__ import annotations

from typing import Any, Final, Literal, NamedTuple

from . import asked, calls, hello, told
from .base import Message, Nothing


class Entry(NamedTuple):
    """One method. `result` is None for a notification, `dict` for a view."""

    sender: Literal["client", "server"]
    params: type[Message]
    result: Any
    nullable: bool = False


TABLE: Final[dict[str, Entry]] = {
    "segue/attach": Entry("client", hello.Attach, hello.Attached),
    "segue/detach": Entry("client", hello.Detach, Nothing),
    "segue/command": Entry("client", calls.Command, calls.CommandResult),
    "segue/tool": Entry("client", calls.Tool, calls.ToolResult),
    "segue/turnEnded": Entry("client", calls.TurnEnded, calls.TurnEndedResult),
    "segue/complete": Entry("client", calls.Complete, calls.CompleteResult),
    "segue/status": Entry("client", calls.Status, dict),
    "segue/turnStarted": Entry("client", told.TurnStarted, None),
    "segue/seen": Entry("client", told.Seen, None),
    "segue/report": Entry("client", told.Report, None),
    "segue/compacted": Entry("client", told.Compacted, None),
    "segue/branchMoved": Entry("client", told.BranchMoved, None),
    "segue/offer": Entry("server", asked.Offer, asked.OfferResult),
    "segue/conversation": Entry("server", asked.Conversation, told.Findings),
    "segue/abort": Entry("server", asked.Abort, Nothing),
    "segue/ask": Entry("server", asked.Ask, asked.Answer, nullable=True),
    "segue/changed": Entry("server", asked.Changed, None),
    "segue/log": Entry("server", asked.Log, None),
}
