"""Asks the person through the client: its own dialogs (`segue/ask`), else a message with buttons.

Nothing is chosen for them (O8): where they close the dialog, the answer is None.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from lsprotocol import types

from segue.session.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .server import SegueServer


class Choice(NamedTuple):
    """One thing to choose; `label` is what the person sees."""

    value: str
    label: str


class Said(NamedTuple):
    """What the person answered."""

    choice: str
    text: str | None


async def choose(server: SegueServer, title: str, choices: Sequence[Choice]) -> str | None:
    """Let the person choose one; None where they would not."""
    if server.can_ask:
        said = await ask(server, "choice", title, "", [c.label for c in choices])
        label = said and said.choice
    else:
        label = await buttons(server, title, [c.label for c in choices])
    return next((c.value for c in choices if c.label == label), None)


async def confirm(server: SegueServer, text: str, yes: str) -> bool:
    """Have something confirmed; closing the dialog is a no."""
    if server.can_ask:
        said = await ask(server, "confirm", text, "", [yes, "Leave it"])
        return said is not None and said.choice == yes
    return await buttons(server, text, [yes, "Leave it"]) == yes


async def text(server: SegueServer, title: str, otherwise: str) -> str | None:
    """Have a text typed.

    Raises:
        UsageError: The client has no dialog for it; `otherwise` says what to do instead.
    """
    if not server.can_ask:
        raise UsageError(f"this editor cannot ask for text: {otherwise}")
    said = await ask(server, "text", title, "", [])
    return None if said is None else said.text


async def ask(
    server: SegueServer,
    kind: str,
    title: str,
    body: str,
    choices: list[str],
    wants_text: Sequence[str] = (),
    **about: Any,
) -> Said | None:
    """Ask through the client's own dialog; None where the person closed it."""
    params = {
        "session": None,
        "request": None,
        "shown": None,
        "kind": kind,
        "title": title,
        "text": body,
        "choices": choices,
        "wantsText": list(wants_text),
        **about,
    }
    answer = await server.protocol.ask_async("segue/ask", params)
    if not isinstance(answer, dict):
        return None
    choice, typed = answer.get("choice"), answer.get("text")
    typed = typed if isinstance(typed, str) else None
    if kind == "text":
        return None if typed is None else Said("", typed)
    return Said(choice, typed) if isinstance(choice, str) and choice in choices else None


async def buttons(server: SegueServer, message: str, labels: Sequence[str]) -> str | None:
    """Show a message with buttons; give the one that was pressed."""
    params = types.ShowMessageRequestParams(
        type=types.MessageType.Info,
        message=message,
        actions=[types.MessageActionItem(label) for label in labels],
    )
    answer = await server.protocol.ask_async(types.WINDOW_SHOW_MESSAGE_REQUEST, params)
    return None if answer is None else answer.title


def show(server: SegueServer, message: str, *, error: bool = False) -> None:
    """Show a line to the person."""
    kind = types.MessageType.Error if error else types.MessageType.Info
    server.protocol.notify(
        types.WINDOW_SHOW_MESSAGE, types.ShowMessageParams(type=kind, message=message)
    )
