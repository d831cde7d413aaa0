"""What the server asks of its client: nobody waits for ever, and a late answer harms nothing."""

from __future__ import annotations

import json
import queue
import threading
from typing import TYPE_CHECKING, Any, cast

import pytest

from segue.plugin.server.hosts import ClientHost
from segue.plugin.server.rpc import ClientGone, ClientRefused
from segue.plugin.server.server import SegueServer
from segue.session.hosts import Offer, Report, Taken
from segue.session.ownership import SessionKey

if TYPE_CHECKING:
    from collections.abc import Callable

    from segue.plugin.server.wire import Writer


class Out:
    """What would be written."""

    closed = False

    def __init__(self) -> None:
        self.sent: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def write(self, data: bytes) -> None:
        self.sent.put(json.loads(data.partition(b"\r\n\r\n")[2]))


class End:
    """A server with a host whose client is the test."""

    def __init__(self) -> None:
        self.server, self.out = SegueServer(), Out()
        self.server.protocol.out = cast("Writer", self.out)
        self.host = ClientHost(self.server.protocol, SessionKey("pi", "a"))
        self.host.there = True

    def ask(self, work: Callable[[], Any]) -> tuple[queue.SimpleQueue[Any], Any]:
        """Ask on a thread; give where the outcome comes, and what was sent."""
        outcome: queue.SimpleQueue[Any] = queue.SimpleQueue()

        def run() -> None:
            try:
                outcome.put(work())
            except OSError as error:
                outcome.put(error)

        threading.Thread(target=run, daemon=True).start()
        return outcome, self.out.sent.get(timeout=60)

    def answer(self, asked: Any, **said: Any) -> None:
        self.server.protocol.receive({"jsonrpc": "2.0", "id": asked["id"], **said})


@pytest.fixture
def end() -> End:
    return End()


def test_an_offer_and_its_answer(end: End) -> None:
    offer = Offer("m1", "step", "do it", starts_turn=True, details={"run": "r"})
    outcome, asked = end.ask(lambda: end.host.offer(offer))
    assert asked["params"] == {
        "session": {"host": "pi", "id": "a"},
        "id": "m1",
        "kind": "step",
        "text": "do it",
        "startsTurn": True,
        "details": {"run": "r"},
    }
    end.answer(asked, result={"taken": "busy"})
    assert outcome.get(timeout=60) is Taken.BUSY


def test_a_report(end: End) -> None:
    outcome, asked = end.ask(end.host.report)
    end.answer(asked, result={"entries": ["m1"], "idle": False, "full": False})
    assert outcome.get(timeout=60) == Report(frozenset(["m1"]), idle=False, full=False)


@pytest.mark.parametrize("said", [{"result": {"taken": "perhaps"}}, {"result": []}, {"result": 3}])
def test_an_answer_of_another_shape_is_none(end: End, said: Any) -> None:
    offer = Offer("m1", "step", "do it", starts_turn=True)
    outcome, asked = end.ask(lambda: end.host.offer(offer))
    end.answer(asked, **said)
    assert isinstance(outcome.get(timeout=60), ConnectionError)


def test_an_error_is_the_hosts_refusal(end: End) -> None:
    outcome, asked = end.ask(end.host.report)
    end.answer(asked, error={"code": -32601, "message": "no such method"})
    assert isinstance(outcome.get(timeout=60), ClientRefused)


def test_a_late_answer_is_passed_over(end: End) -> None:
    """Trap 2 of pygls; the client is told that nobody waits."""
    with pytest.raises(TimeoutError):
        end.server.protocol.ask("segue/offer", {}, 0.0)
    asked, withdrawn = end.out.sent.get(timeout=60), end.out.sent.get(timeout=60)
    assert withdrawn["method"] == "$/cancelRequest"
    assert withdrawn["params"] == {"id": asked["id"]}
    end.answer(asked, result={"taken": "seen"})
    end.answer(asked, result={"taken": "seen"})


def test_letting_go_of_a_session_does_not_wait_for_its_client(end: End) -> None:
    outcome, _ = end.ask(end.host.report)
    end.host.leave()
    assert isinstance(outcome.get(timeout=60), ClientGone)
    with pytest.raises(ConnectionError):
        end.host.report()


def test_the_end_of_the_connection_answers_every_question(end: End) -> None:
    outcome, _ = end.ask(end.host.report)
    end.server.protocol.gone()
    assert isinstance(outcome.get(timeout=60), ClientGone)


def test_nothing_is_said_before_the_hello(end: End) -> None:
    end.host.there = False
    with pytest.raises(ConnectionError):
        end.host.report()
    end.host.changed({"run": None})
    assert end.host.view == {"run": None}
    assert end.out.sent.empty()
