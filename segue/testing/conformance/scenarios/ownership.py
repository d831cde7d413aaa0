"""O1 to O8: who a session is, and who may do what to its run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ..flows import ANSWERS, CLEAN
from ..model import Good
from ..rules import check
from ..wire import Refused
from .registry import scenario

if TYPE_CHECKING:
    from ..host import FakeHost
    from ..wire import Said
    from ..world import World

NOBODY: Final[tuple[Any, ...]] = (
    "", " ", "\t \n", None, 7, "${CLAUDE_SESSION_ID}", "${VAR:-}", "s-${ID}", "$SESSION_ID",
    "x" * 10_240, "a\nb", "a\x00b", "a\x1b[31m", "a\x7f", "a\x85b", "\ud800",
)  # fmt: skip
"""Session ids that say nothing."""


def named(said: Said, *codes: str) -> Said:
    """Let a refusal pass that names its error and says something."""
    assert not said.ok, said
    assert said.code in codes, said
    assert said.text, said
    return said


def refusal(world: World, session: Any) -> str:
    """Give the named error with which an attachment is refused."""
    try:
        world.host(session)
    except Refused as refused:
        return refused.code
    raise AssertionError(f"{session!r} was taken")


@scenario("O1", "P-A2", "P-A3")
def an_id_that_says_nothing_is_refused_and_writes_nothing(world: World) -> None:
    world.host("a")
    before = world.dump()
    for session in NOBODY:
        assert refusal(world, session) == "session_unknown", session
    assert world.dump() == before


@scenario("O1")
def ids_are_taken_verbatim(world: World) -> None:
    """Ids that are equal up to case, Unicode form or spaces are different sessions."""
    ids = ["Abc", "abc", "abc ", "\u00e9", "e\u0301", "a:b/c", "\N{SNOWMAN}", "x" * 1_000]
    server = world.server()
    for session in ids:
        world.host(session, server=server)
    assert [row for (row,) in world.rows("SELECT id FROM sessions ORDER BY pk")] == ids


@scenario("O2", "P-A11", "P-D3", "P-A4")
def only_a_person_moves_a_run_and_both_ids_are_recorded(world: World) -> None:
    """A new session id gets nothing until somebody says so; the completed nodes come along."""
    a = world.host("a")
    a.command("review")
    model = Good(dict(ANSWERS))
    model.turn(a)
    run = world.live("a")
    assert run is not None
    b = world.fork(a, "b", server=a.server)
    assert world.live("b") is None
    assert b.turns == []
    named(b.tool(action="rebind", run=run), "usage")
    assert world.live("a") == run
    done = world.trail("a")
    assert b.command(f"rebind {run}").ok
    data = world.one("SELECT data FROM events WHERE kind = 'rebound'")
    assert '"from":"fake:a"' in data
    assert '"to":"fake:b"' in data
    assert world.live("b") == run
    assert world.live("a") is None
    assert world.state("b") == ("waiting", "rebound")
    assert b.turns == []
    asked = a.turn.message if a.turn else None
    assert asked is not None
    request = asked.details["request"]
    named(a.tool(action="update", request_id=request, completed=1), "not_origin")
    named(a.tool(action="answer", request_id=request, output=None), "not_origin")
    named(a.tool(action="submit", request_id=request, output=None), "not_origin")
    a.ends()
    assert a.command("status").ok  # A is attached still
    assert b.command("resume").ok
    b.play(model)
    assert world.state("b") == ("completed", None)
    assert [step for step in world.trail("b") if step in done and step[3] == "ok"] == [
        step for step in done if step[3] == "ok"
    ]
    assert len(a.turns) == 2
    check(world)


@scenario("O3", "P-A1", "P-A4", "P-A5")
def a_stranger_may_do_nothing_and_learns_nothing(world: World) -> None:
    """Every call of another session is refused by name of the owner, receipts included."""
    server = world.server()
    a, b = world.host("a", server=server), world.host("b", server=server)
    a.command("review")
    model = Good(dict(ANSWERS))
    model.turn(a)
    answered = world.one("SELECT id FROM requests WHERE state = 'answered'")
    run, request = world.live("a"), world.request("a")
    before = world.dump()
    for call in (
        {"action": "submit", "request_id": request, "output": CLEAN},
        {"action": "submit", "request_id": answered, "output": ANSWERS["inspect"](0)},
        {"action": "answer", "request_id": request, "output": CLEAN},
        {"action": "update", "request_id": request, "completed": 1},
        {"action": "status", "run": run},
        {"action": "read", "run": run, "reference": "output:inspect"},
    ):
        said = named(b.tool_raw(call), "not_origin")
        assert "fake:a" in said.text, said.text
        assert "typo" not in said.text, "a receipt of another session was shown"
    named(b.tool(action="cancel"), "not_found")
    named(b.tool(action="pause"), "not_found")
    named(b.decide(str(request), "go"), "not_origin")
    assert world.dump() == before
    assert b.turns == []
    a.play(model)
    assert (b.turns, b.handed) == ([], [])
    actors = {actor for (actor,) in world.rows("SELECT actor FROM events WHERE run IS NOT NULL")}
    assert actors == {"person@fake:a", "runner@fake:a"}
    check(world)


@scenario("O4")
def a_session_has_one_run_that_has_not_ended(world: World) -> None:
    """Queued, running, waiting and paused ones count; an ended one does not."""
    host = world.host("a")
    host.command("asking")
    assert world.state() == ("waiting", "human")
    named(host.command("review"), "session_busy")
    named(world.elsewhere(world.server(), "queue", "review", None, "fake:a"), "session_busy")
    world.pause(host)
    assert world.state() == ("paused", "paused")
    named(host.command("review"), "session_busy")
    world.cancel(host)
    assert host.command("review").ok
    named(host.tool(action="start", workflow="eager"), "session_busy")
    other = world.host("b", server=host.server)
    other.command("review")
    named(host.command(f"rebind {world.live('b')}"), "session_busy")
    check(world)


@scenario("O5", "P-B10")
def a_repeated_launch_adopts_and_writes_nothing(world: World) -> None:
    """The same message or call id: adopted, also when the run has ended; never started twice."""
    host = world.host("a")
    first = host.command("review", "message-1")
    run = first.data["run"]
    before = world.dump()
    again = host.command("review", "message-1")
    assert again.data == {"run": run, "how": "adopted"}
    assert world.dump() == before
    host.play(Good(dict(ANSWERS)))
    assert world.state() == ("completed", None)
    before, turns = world.dump(), len(host.turns)
    assert host.command("review", "message-1").data == {"run": run, "how": "adopted"}
    assert world.dump() == before
    assert len(host.turns) == turns
    named(host.command("eager", "message-1"), "launch_conflict")
    assert host.command("review", "message-2").data["how"] == "claimed"
    check(world)


@scenario("O6", "P-A9")
def a_fork_owns_nothing_of_its_parents(world: World) -> None:
    """Also with the parent's messages copied into it, and the parent goes on undisturbed."""
    a = world.host("a")
    a.command("review")
    b = world.fork(a, "b")
    assert b.conversation.messages() == a.conversation.messages()
    assert world.live("b") is None
    request = world.request("a")
    b.says("go on")
    named(b.tool(action="submit", request_id=request, output=CLEAN), "not_origin")
    b.ends()
    before = world.dump()["messages"]
    assert b.line is not None
    copied = b.conversation.messages()[0]
    b.line.seen(copied)  # its host tells what it finds: the parent's message
    b.line.turn_started(copied)
    b.line.turn_ended("completed", "I did that.", "", "call-1")
    assert world.dump()["messages"] == before
    a.play(Good(dict(ANSWERS)))
    assert world.state("a") == ("completed", None)
    assert len(b.turns) == 1
    assert world.rows("SELECT kind, other FROM lineage") == [("forked", "a")]
    check(world)


@scenario("O7", "P-C5", "P-C14")
def a_newer_instance_takes_over_at_once(world: World) -> None:
    """The older one's next write or send is refused, and it steps aside without a word."""
    old = world.host("a")
    old.command("review")
    request = world.request()
    new = world.host("a", conversation=old.conversation.fork(), reason="resume")
    assert world.state() == ("waiting", "reopened")
    before = world.dump()
    named(old.tool(action="submit", request_id=request, output=CLEAN), "fenced")
    named(old.tool(action="cancel"), "fenced")
    old.ends("completed", "I did it.")
    assert world.dump() == before
    handed = len(old.handed)
    world.resume(new)
    new.play(Good(dict(ANSWERS)))
    assert world.state() == ("completed", None)
    assert len(old.handed) == handed
    check(world)


@scenario("O7", "D1")
def what_an_older_instance_tells_after_one_takes_over_writes_nothing(world: World) -> None:
    """It had no reason to look before: the write itself is refused."""
    old = world.host("a")
    old.command("review")
    world.host("a", conversation=old.conversation.fork(), reason="resume")
    before = world.dump()
    old.ends("completed", "I did it.")
    assert world.dump() == before
    check(world)


@scenario("O8")
def nothing_is_picked_because_it_is_first_or_newest(world: World) -> None:
    """What is not named exactly is refused, and the candidates are named."""
    host = world.host("a")
    host.command("asking")
    request, run = world.request(), world.live("a")
    world.host("b").command("review")
    for words in ("answer", "answer go", "rebind", "rebind run-"):
        said = named(host.command(words), "not_found", "usage")
        assert said.text
    said = named(host.command("answer"), "not_found", "usage")
    assert str(request) in said.text
    named(host.tool(action="submit", output=CLEAN), "usage")
    said = named(host.tool(action="submit", request_id="", output=CLEAN), "not_found")
    assert str(run) in said.text
    said = named(world.elsewhere(world.server(), "queue", "review", None, "fake:z"), "not_found")
    assert "fake:a" in said.text
    assert world.request() == request
    check(world)


@scenario("O1", "P-A7", "P-D7")
def every_way_to_open_a_session_finds_its_binding(world: World) -> None:
    """Whatever reason the host gives: the id alone says which session it is."""
    host = world.host("a")
    host.command("review")
    run = world.live("a")
    for reason in ("startup", "resume", "clear", "compact", "restart"):
        host = reattached(world, host, reason)
        assert world.live("a") == run
        assert world.state()[0] in ("running", "waiting")
    assert world.one("SELECT count(*) FROM sessions") == 1
    check(world)


def reattached(world: World, host: FakeHost, reason: str) -> FakeHost:
    """Open a session's conversation in one more instance, for a reason of the host's own."""
    return world.host("a", host.shape, conversation=host.conversation.fork(), reason=reason)
