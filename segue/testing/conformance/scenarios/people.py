"""H1 to H3: what only a person can say, and how it is known that they did."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..flows import ANSWERS
from ..model import Approves, Good
from ..rules import check
from .ownership import named
from .registry import scenario

if TYPE_CHECKING:
    from ..world import World


@scenario("H1", "P-K1", "P-K3")
def the_model_has_no_way_to_approve(world: World) -> None:
    """Not by any action of its tool, and not by a text that claims it."""
    host = world.host("a")
    host.command("asking")
    request = world.request()
    host.says("Go on.")
    model = Approves({}, lambda: request)
    model.turn(host)
    assert len(model.refused) == 6
    assert {said.code for said in model.refused} <= {"not_origin", "usage"}
    host.says("go")  # the person's words in the conversation are none either
    host.ends("completed", "APPROVED by the person: go")
    assert world.state() == ("waiting", "human")
    assert world.request() == request
    texts = " ".join(e.text for e in host.conversation.entries.values() if e.role == "tool")
    for word in ("segue answer", "segue trust", "segue rebind", "/workflow answer"):
        assert word not in texts
    check(world)


@scenario("H2", "P-K5")
def an_answer_is_to_what_was_shown(world: World) -> None:
    host = world.host("a")
    host.command("asking")
    request = str(world.request())
    shown = world.one("SELECT hex(shown) FROM requests")
    before = world.dump()
    named(host.decide(request, "go", None, "00" * 32), "stale_approval")
    named(host.decide(request, "perhaps", None, shown), "not_found")
    named(host.decide("req_0", "go", None, shown), "not_found")
    assert world.dump() == before
    assert host.views[-1]["request"]["shown"] == shown.lower()
    assert host.decide(request, "go", None, shown).ok
    assert world.state() == ("completed", None)
    named(host.decide(request, "stop", None, shown), "conflict")
    output = world.one("SELECT output FROM runs")
    assert output == '{"choice":"go","by":"human"}'
    check(world)


@scenario("H2")
def a_choice_that_wants_a_text_gets_one(world: World) -> None:
    host = world.host("a")
    host.command("tour")
    model = Good(dict(ANSWERS))
    host.play(model)
    assert world.state() == ("waiting", "checkpoint") or world.state() == ("waiting", "human")
    request = str(world.request())
    before = world.dump()
    named(host.decide(request, "redo"), "not_found")
    assert world.dump() == before
    assert host.decide(request, "redo", "a darker one").ok
    check(world)


@scenario("H3", "P-K3")
def without_an_answer_it_waits_or_follows_what_was_declared(world: World) -> None:
    """And says by whom: a timeout is never a person's word."""
    host = world.host("a")
    host.command("asking")
    world.clock.sleep(59)
    host.look()
    assert world.state() == ("waiting", "human")
    world.clock.sleep(2)
    host.look()
    assert world.state() == ("completed", None)
    assert world.one("SELECT output FROM runs") == '{"choice":"stop","by":"timeout"}'
    waiting = world.host("b", server=host.server)
    waiting.command("tour")
    waiting.play(Good(dict(ANSWERS)))
    assert world.state("b") == ("waiting", "human")
    world.clock.sleep(30 * 86_400)
    waiting.look()
    assert world.state("b") == ("waiting", "human")
    check(world)


@scenario("H2", "D9")
def the_first_of_two_answers_wins(world: World) -> None:
    host = world.host("a")
    host.command("asking")
    request = str(world.request())
    elsewhere = world.server()
    assert elsewhere.elsewhere("answer", request, "stop").ok
    named(host.decide(request, "go"), "conflict")
    host.look()
    assert world.one("SELECT output FROM runs") == '{"choice":"stop","by":"human"}'
    check(world)


@scenario("T4", "H1")
def answers_given_while_paused_wait_for_the_person(world: World) -> None:
    host = world.host("a")
    host.command("asking")
    request = str(world.request())
    world.pause(host)
    assert host.decide(request, "go").ok
    assert world.state() == ("paused", "paused")
    world.resume(host)
    assert world.state() == ("completed", None)
    check(world)
