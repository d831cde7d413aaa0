"""The push side of a host that sits at the other end of this connection.

Every method blocks its thread, which is never the loop's, and fails with `OSError` in bounded
time. Until the answer to `segue/attach` is on its way, the host counts as not there yet.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pydantic import ValidationError

from segue.session.hosts import Report, Taken

from ..protocol.asked import OfferResult
from ..protocol.told import Findings

if TYPE_CHECKING:
    from collections.abc import Callable

    from segue.session.hosts import Offer
    from segue.session.ownership import SessionKey

    from .rpc import Protocol

ANSWER_SECONDS: Final = 10.0
"""A client answers these at once; one that does not is stuck, and the message is offered again."""


def offer_json(offer: Offer) -> dict[str, Any]:
    """Give a message as it is sent."""
    return {
        "id": offer.id,
        "kind": offer.kind,
        "text": offer.text,
        "startsTurn": offer.starts_turn,
        "details": offer.details,
    }


def session_json(key: SessionKey) -> dict[str, str]:
    return {"host": key.host, "id": key.id}


def report_of(found: Findings) -> Report:
    return Report(frozenset(found.entries), frozenset(found.queued), found.idle, found.full)


class ClientHost:
    """One session's host."""

    def __init__(self, protocol: Protocol, key: SessionKey) -> None:
        self._protocol = protocol
        self._session = {"session": session_json(key)}
        self.there = False
        self.view: dict[str, Any] | None = None
        self.on_change: Callable[[dict[str, Any]], None] | None = None

    def leave(self) -> None:
        """The session is let go of: nothing more is asked, nor waited for."""
        self.there = False
        self._protocol.drop(self)

    def offer(self, offer: Offer) -> Taken:
        answer = self._ask("segue/offer", offer_json(offer))
        return Taken(_read(OfferResult, answer, "segue/offer").taken)

    def report(self) -> Report:
        return report_of(_read(Findings, self._ask("segue/conversation", {}), "segue/conversation"))

    def abort_turn(self) -> None:
        self._ask("segue/abort", {})

    def changed(self, view: dict[str, Any]) -> None:
        self.view = view
        if self.there:
            self._protocol.notify("segue/changed", {**self._session, "view": view})
            if self.on_change is not None:
                self.on_change(view)

    def _ask(self, method: str, params: dict[str, Any]) -> Any:
        if not self.there:
            raise ConnectionError("the host has not been answered yet")
        return self._protocol.ask(method, {**self._session, **params}, ANSWER_SECONDS, self)


def _read(model: Any, answer: Any, method: str) -> Any:
    try:
        return model.model_validate({} if answer is None else answer)
    except ValidationError as error:
        raise ConnectionError(f"{method}: the answer has another shape: {error}") from error
