"""T1 to T11: what is said, when, and how often."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..flows import ANSWERS, CLEAN, ISSUES
from ..host import PUSH, SHAPES
from ..model import Good, NeverSubmits, Prose, Sleeps, Stale, Stringly, Twice, read
from ..rules import check
from .ownership import named
from .registry import scenario

if TYPE_CHECKING:
    from ..host import FakeHost
    from ..world import World

BY_NAME = {shape.name: shape for shape in SHAPES}
BROKEN = {**ANSWERS, "try_it": ISSUES}


def request_of(host: FakeHost) -> str:
    """Give the request that the running turn was begun for."""
    assert host.turn is not None
    assert host.turn.message is not None
    asked = read(host.turn.message.text)
    assert asked is not None
    return asked.request


def kinds(world: World, session: str = "a") -> list[str]:
    return [kind for kind, _ in world.said(session)]


@scenario("T1", "T2", "P-B10", "P-B15")
def each_step_starts_one_turn_in_every_kind_of_host(world: World) -> None:
    for shape in SHAPES:
        host = world.host(shape.name, shape)
        host.says("Please review the change.")
        assert host.tool(action="start", workflow="review").ok, shape
        host.play(Good(dict(ANSWERS)))
        if host.turn is None and world.live(shape.name):
            host.says("Go on.")
            host.play(Good(dict(ANSWERS)))
        assert world.state(shape.name) == ("completed", None), shape
        heard = [h.offer.id for h in host.handed if h.offer.starts_turn]
        assert len(heard) == len(set(heard)) == 3, (shape, heard)
        check(world)


@scenario("T2", "P-I10")
def a_repeated_submit_gets_the_saved_result(world: World) -> None:
    """And never a second copy of the next step, also where the tool result carries it."""
    for name in ("push", "push-in-turn", "at-stop-in-turn", "in-turn"):
        host = world.host(name, BY_NAME[name])
        host.says("Review it.")
        host.tool(action="start", workflow="review")
        model = Twice(dict(ANSWERS))
        if not host.shape.pushes or "turn" not in name:
            host.play(model)
        else:
            model.turn(host)
            host.play(model)
        if world.live(name):
            host.says("Go on.")
            host.play(model)
        assert model.receipts
        for first, again, other in model.receipts:
            assert first.ok
            assert again.ok
            assert again.data["request"] == first.data["request"]
            assert again.message is None
            named(other, "conflict", "not_found")
        heard = [h.offer.id for h in host.handed if h.offer.starts_turn]
        assert len(heard) == len(set(heard)), name
        check(world)


@scenario("T2", "P-B1", "P-L2")
def a_message_that_arrived_is_found_and_not_sent_again(world: World) -> None:
    """The server dies between "the host has it" and "it is written down"."""
    host = world.host("a")
    passed = len(world.points.passed)
    host.command("review")
    at = world.points.passed[passed:].index("host: offered") + 1
    world.cancel(host)
    host.ends()
    world.points.arm(at)
    host.command("review")
    assert host.line is None
    step = host.conversation.messages()[-1]
    assert world.one("SELECT state FROM messages WHERE id = ?", step) == "offered"
    world.restart(host)
    assert world.one("SELECT state FROM messages WHERE id = ?", step) == "seen"
    host.play(Good(dict(ANSWERS)))
    assert world.state() == ("completed", None)
    assert host.conversation.messages().count(step) == 1
    check(world)


@scenario("T2", "P-B8")
def a_turn_that_is_about_to_begin_is_not_taken_for_a_lost_one(world: World) -> None:
    """The server looks around between the message's arrival and the word of its turn."""
    for shape in SHAPES:
        host = world.host(shape.name, shape)
        host.hasty = True
        host.says("Review it.")
        host.tool(action="start", workflow="review")
        host.play(Good(dict(ANSWERS)))
        if world.live(shape.name):
            host.says("Go on.")
            host.play(Good(dict(ANSWERS)))
        assert world.state(shape.name) == ("completed", None), shape
        assert set(kinds(world, shape.name)) == {"step", "notice"}, shape
        check(world)


@scenario("T3")
def a_new_step_takes_the_place_of_a_fallback(world: World) -> None:
    """The run fails while the person types; they start another: the fallback is never said."""
    host = world.host("a")
    host.command("fragile")
    host.says("One more thing.")
    host.tool(action="submit", request_id=request_of(host), output=ISSUES)
    assert world.state()[0] == "failed"
    host.ends()  # the person's own turn comes first
    assert ("fallback", "pending") in world.said()
    assert host.command("review").ok
    assert ("fallback", "cancelled") in world.said()
    host.play(Good(dict(ANSWERS)))
    assert "fallback" not in [t.message.kind for t in host.turns if t.message]
    check(world)


@scenario("T4")
def what_a_person_stops_makes_no_turn(world: World) -> None:
    for how in ("pause", "cancel", "escape", "close"):
        host = world.host(how)
        host.command("review")
        if how == "pause":
            world.pause(host)
            host.ends("completed", "fine")
        elif how == "cancel":
            world.cancel(host)
            host.ends("completed", "fine")
        elif how == "escape":
            world.escape(host)
        else:
            host.detach()
        host.play(Good(dict(ANSWERS)))
        assert len(host.turns) == 1, how
        want = {
            "pause": ("paused", "paused"),
            "cancel": ("cancelled", world.state(how)[1]),
            "escape": ("paused", "paused"),
            "close": ("running", None),
        }[how]
        assert world.state(how) == want, how
        assert "fallback" not in kinds(world, how)
        check(world)


@scenario("T4")
def where_escape_is_hidden_the_next_prompt_pauses(world: World) -> None:
    host = world.host("a", BY_NAME["silent-escape"])
    host.command("review")
    world.escape(host)
    assert world.state() == ("running", None)
    host.says("Stop that and look here.")
    assert world.state() == ("paused", "paused")
    host.ends()
    host.play(Good())
    assert len(host.turns) == 2
    world.resume(host)
    host.play(Good(dict(ANSWERS)))
    assert world.state() == ("completed", None)
    check(world)


@scenario("T4")
def leaving_the_branch_of_the_step_pauses(world: World) -> None:
    host = world.host("a")
    host.says("Hello.")
    host.ends("completed", "Hello!")
    before = host.conversation.leaf
    host.command("review")
    world.escape(host)
    world.resume(host)
    host.ends("failed", error="overloaded")
    world.resume(host)
    host.turn = None
    host.moves(before)
    assert world.state() == ("paused", "paused")
    turns = len(host.turns)
    host.settle()
    assert len(host.turns) == turns
    check(world)


@scenario("T5", "P-B8", "P-B7")
def nothing_overtakes_a_person_and_nothing_is_forgotten(world: World) -> None:
    """With their prompt queued the step waits; once idle it comes, without a further event."""
    host = world.host("a")
    host.says("A question first.")
    host.command("review")
    assert [h.offer for h in host.handed] == []
    host.says("And another.")
    host.ends("completed", "An answer.")
    assert host.refusals == 0, "it was offered although the host had said that a prompt waits"
    assert host.turn is not None
    assert host.turn.message is None
    host.ends("completed", "Another answer.")
    assert host.turn is not None
    assert host.turn.message is not None
    idle = world.host("b", server=host.server)
    world.elsewhere(world.server(), "queue", "review", None, "fake:b")
    assert idle.turn is None
    idle.look()
    assert idle.turn is not None
    check(world)


@scenario("T6", "P-B2")
def only_what_was_offered_can_be_lost(world: World) -> None:
    """A pending message that is not found stays; an offered one is said again, once."""
    host = world.host("a", replace(PUSH, name="deferring", defers=True))
    host.says("Wait.")
    host.command("review")
    host.line.report(host.found())  # type: ignore[union-attr]  # it is attached
    assert world.said() == [("step", "pending")]
    host.turn = None
    host.look()
    assert host.line is not None
    host.ends = host.ends  # type: ignore[method-assign]  # the turn's end is told by hand
    host.line.turn_ended("completed", "", "", "call-x")
    assert world.said() == [("step", "offered")]
    host.line.report(replace(host.found(), full=False, queued=frozenset()))
    host.line.report(replace(host.found(), idle=False, queued=frozenset()))
    host.look()
    assert world.said() == [("step", "offered")]
    host.held.clear()  # the host lost it
    host.line.report(host.found())
    assert world.said() == [("step", "offered")]
    assert world.one("SELECT offers FROM messages") == 2
    assert len(host.held) == 1
    host.play(Good(dict(ANSWERS)))
    assert world.state() == ("completed", None)
    check(world)


@scenario("T7", "P-I5", "P-H6", "P-H1")
def two_reminders_and_then_it_waits(world: World) -> None:
    """With what the model said kept; a hundred stops later nothing more was said."""
    for name in ("push", "at-stop", "at-stop-entry", "push-nothing-proved"):
        host = world.host(name, BY_NAME[name])
        host.says("Review it.")
        host.tool(action="start", workflow="review")
        host.play(NeverSubmits())
        assert world.state(name) == ("waiting", "missing_submission"), name
        intents = [kind for kind in kinds(world, name) if kind != "notice"]
        assert intents == ["step", "reminder", "reminder"], name
        detail = world.one("SELECT detail FROM runs WHERE state = 'waiting' ORDER BY pk DESC")
        assert "I have looked at everything" in detail
        for _ in range(100):
            host.says("Hm.")
            host.ends("completed", "Hm.")
        assert [kind for kind in kinds(world, name) if kind != "notice"] == intents
        world.resume(host)
        if host.turn is None:
            host.says("Go on.")
        host.play(Good(dict(ANSWERS)))
        assert world.state(name) == ("completed", None), name
        check(world)


@scenario("T7")
def no_reminder_after_a_provider_error_or_a_persons_prompt(world: World) -> None:
    host = world.host("a")
    host.command("review")
    host.ends("failed", error="overloaded")
    assert world.state() == ("waiting", "turn_failed")
    assert "overloaded" in world.one("SELECT detail FROM runs")
    assert "reminder" not in kinds(world)
    other = world.host("b", server=host.server)
    other.command("review")
    other.says("What is this?")
    other.ends("completed", "I am reviewing.")
    other.ends("completed", "It is a review.")
    assert [state for kind, state in world.said("b") if kind == "reminder"] == ["cancelled"]
    assert other.turn is None
    check(world)


@scenario("T7", "P-H4", "P-H3")
def a_run_that_waits_for_a_person_lets_the_session_stop(world: World) -> None:
    for name in ("push", "at-stop"):
        host = world.host(name, BY_NAME[name])
        host.says("Ask me.")
        host.tool(action="start", workflow="asking")
        for _ in range(5):
            if host.turn is not None:
                host.ends("completed", "I wait.")
            host.says("Hm.")
        host.ends()
        assert world.state(name) == ("waiting", "human")
        assert [h for h in host.handed if h.offer.starts_turn] == []
    check(world)


@scenario("T7")
def a_routed_failure_takes_the_place_of_waiting(world: World) -> None:
    host = world.host("a")
    host.command("routed")
    model = NeverSubmits()
    for _ in range(3):
        model.turn(host)
    assert world.trail()[0] == ("try_it", 1, 1, "failed")
    host.play(Good(dict(ANSWERS)))
    assert world.state() == ("completed", None)
    assert [node for node, *_ in world.trail()] == ["try_it", "own_up"]
    check(world)


@scenario("T7")
def an_assistant_step_takes_the_text_of_its_own_turn_only(world: World) -> None:
    host = world.host("a")
    host.command("tour")
    host.says("By the way: what day is it?")
    host.tool(action="submit", request_id=request_of(host), output=CLEAN)
    host.ends("completed", "I have looked.")
    assert host.turn is not None
    assert host.turn.message is None
    host.ends("completed", "It is Monday.")
    assert world.trail()[-1] == ("tell", 1, 1, "asked")
    host.ends("completed", "  ")
    host.ends("completed", "I saw nothing wrong.")
    output = world.one("SELECT output FROM attempts WHERE node = 'tell'")
    assert output == '"I saw nothing wrong."'
    check(world)


@scenario("T8", "P-B11", "P-B13")
def a_failed_turn_was_delivered_all_the_same(world: World) -> None:
    """Whatever became of the turn; also where no entry proves the delivery."""
    for name in ("push", "push-nothing-proved"):
        host = world.host(name, BY_NAME[name])
        host.command("review")
        host.ends("failed", error="overloaded")
        row = world.rows(
            "SELECT m.state, m.turn, m.offers FROM messages m JOIN sessions s ON s.pk = m.session"
            " WHERE m.kind = 'step' AND s.id = ?",
            name,
        )
        assert row == [("seen", "failed", 1)], name
        world.restart(host)
        host.settle()
        assert len(host.turns) == 1
    check(world)


@scenario("T9", "P-D2", "P-J3")
def a_compaction_restates_the_open_step_once(world: World) -> None:
    """It re-runs nothing, and is dropped where the step was answered meanwhile."""
    host = world.host("a")
    host.command("review")
    host.compacts("c1")
    host.compacts("c1")
    assert world.said()[1:] == [("restated", "pending")]
    host.compacts("c1 once more")
    assert world.said()[1:] == [("restated", "cancelled"), ("restated", "pending")]
    request = request_of(host)
    host.ends("completed", "Hm.")
    assert host.turn is not None
    assert host.turn.message is not None
    assert host.turn.message.kind == "restated"
    assert request_of(host) == request
    host.compacts("c2")
    host.tool(action="submit", request_id=request, output=CLEAN)
    assert ("restated", "cancelled") in world.said()
    host.play(Good(dict(ANSWERS)))
    assert world.state() == ("completed", None)
    assert [node for node, *_ in world.trail()] == ["inspect", "done"]
    assert "reminder" not in kinds(world)
    check(world)


@scenario("T9")
def a_checkpoint_is_restated_too(world: World) -> None:
    host = world.host("a")
    host.command("tour")
    model = Good(dict(ANSWERS))
    model.turn(host)
    model.turn(host)
    assert world.state() == ("waiting", "checkpoint")
    host.compacts("c1")
    host.ends("completed", "Which colour?")
    assert host.turn is not None
    assert host.turn.message is not None
    assert host.turn.message.kind == "restated"
    check(world)


@scenario("T10")
def a_run_that_ends_badly_is_followed_by_one_factual_turn(world: World) -> None:
    host = world.host("a")
    host.command("fragile")
    Good(BROKEN).turn(host)
    assert world.state()[0] == "failed"
    assert host.turn is not None
    offer = host.turn.message
    assert offer is not None
    assert offer.kind == "fallback"
    for word in ("failed", "it broke", "start", "weigh"):
        assert word in offer.text
    host.ends("completed", "I told the person.")
    host.settle()
    assert len(host.turns) == 2
    timed = world.host("b", server=host.server)
    timed.command("fragile")
    world.clock.advance(61)
    timed.look()
    assert world.state("b")[0] == "timed_out"
    assert timed.aborts == 1
    assert [t.message.kind for t in timed.turns if t.message] == ["step", "fallback"]
    model = world.host("c", server=host.server)
    model.command("review")
    model.tool(action="cancel")
    model.ends("completed", "I have cancelled it.")
    assert world.state("c")[0] == "cancelled"
    assert [t.message.kind for t in model.turns if t.message] == ["step", "fallback"]
    check(world)


@scenario("T10")
def a_chain_of_new_starts_ends_after_two(world: World) -> None:
    host = world.host("a")
    host.command("fragile")
    for _ in range(8):
        if host.turn is None:
            break
        message = host.turn.message
        if message is not None and message.kind == "fallback":
            assert host.tool(action="start", workflow="fragile").ok
            host.ends()
        else:
            Good(BROKEN).turn(host)
    assert world.one("SELECT count(*) FROM runs") == 3
    assert [t.message.kind for t in host.turns if t.message] == ["step", "fallback"] * 2 + ["step"]
    assert host.turn is None
    check(world)


@scenario("T10")
def a_completed_run_ends_with_a_notice(world: World) -> None:
    host = world.host("a")
    host.command("review")
    host.play(Good(dict(ANSWERS)))
    assert world.said()[-1] == ("notice", "seen")
    assert host.turns[-1].message is not None
    assert host.turns[-1].message.kind == "step"
    check(world)


@scenario("T11", "P-D4", "P-A9")
def a_reopened_session_waits_for_its_person(world: World) -> None:
    """One notice, no turn, queued runs included; resuming says the step again."""
    host = world.host("a")
    host.command("review")
    model = Good(dict(ANSWERS))
    model.turn(host)
    again = world.reopen(host)
    assert world.state() == ("waiting", "reopened")
    once_more = world.reopen(again)
    assert once_more.turns == again.turns == []
    assert [s for k, s in world.said() if k == "notice"] == ["seen"]
    done = [step for step in world.trail() if step[3] == "ok"]
    world.resume(once_more)
    assert once_more.turn is not None
    assert once_more.turn.message is not None
    assert once_more.turn.message.kind in ("resumed", "step")
    once_more.play(model)
    assert world.state() == ("completed", None)
    assert world.trail()[: len(done)] == done
    queued = world.host("b", server=host.server)
    queued.detach()
    world.elsewhere(world.server(), "queue", "review", None, "fake:b")
    assert world.state("b")[0] == "queued"
    opened = world.host("b")
    assert world.state("b") == ("waiting", "reopened")
    assert opened.turns == []
    world.resume(opened)
    opened.play(Good(dict(ANSWERS)))
    assert world.state("b") == ("completed", None)
    check(world)


@scenario("T11", "P-L1")
def a_restarted_server_of_the_same_instance_just_goes_on(world: World) -> None:
    host = world.host("a")
    host.command("review")
    world.kill(host)
    world.restart(host)
    assert world.state() == ("running", None)
    host.play(Good(dict(ANSWERS)))
    assert world.state() == ("completed", None)
    assert kinds(world) == ["step", "step", "step", "notice"]
    queued = world.host("b")
    world.kill(queued)
    world.elsewhere(world.server(), "queue", "review", None, "fake:b")
    world.restart(queued)
    assert queued.turn is not None
    check(world)


@scenario("T11")
def a_workflow_may_go_on_by_itself(world: World) -> None:
    host = world.host("a")
    host.command("eager")
    Good(dict(ANSWERS)).turn(host)
    again = world.reopen(host)
    assert world.state()[0] == "running"
    if again.turn is None:
        again.look()
    check(world)


@scenario("T2", "P-B3", "P-I5")
def bad_models_get_through_or_get_told(world: World) -> None:
    """JSON in a string or a fence, a stale id first, prose, waiting in its own turn."""
    for session, model in {
        "string": Stringly(dict(ANSWERS)),
        "fence": Stringly(dict(ANSWERS), "```json\n{}\n```"),
        "stale": Stale(dict(ANSWERS)),
        "sleeps": Sleeps(dict(ANSWERS)),
    }.items():
        host = world.host(session)
        host.command("review")
        host.play(model)
        assert world.state(session) == ("completed", None), session
        if session in ("string", "fence"):
            receipts = world.rows("SELECT receipt FROM requests WHERE receipt LIKE '%true%true%'")
            assert receipts, "a normalized answer is recorded as such"
        if session == "stale":
            assert {said.code for said in model.refused} <= {"not_found", "conflict"}
        check(world)
    host = world.host("prose")
    host.command("review")
    prose = Prose(dict(ANSWERS))
    host.play(prose)
    assert world.state("prose") == ("waiting", "missing_submission")
    assert {said.code for said in prose.refused} == {"rejected"}
    raw = [row for (row,) in world.rows("SELECT raw FROM rejections")]
    assert raw == ["It looks clean."] * len(raw)
    assert len(raw) == 3
    check(world)


@scenario("P-B3")
def what_hands_over_says_to_end_the_turn(world: World) -> None:
    host = world.host("a")
    said = host.tool(action="start", workflow="review")
    assert "End your turn now" in said.text
    said = host.tool(action="submit", request_id=request_of(host), output=ISSUES)
    assert "End your turn now" in said.text
    assert "end your turn" in host.handed[0].offer.text


@scenario("P-I6", "P-I8")
def a_rejection_says_where_and_the_same_answer_gets_the_same_words(world: World) -> None:
    host = world.host("a")
    host.command("review")
    wrong = {"route": "maybe", "reason": 3}
    first = host.tool(action="submit", request_id=request_of(host), output=wrong)
    again = host.tool(action="submit", request_id=request_of(host), output=wrong)
    assert first.code == again.code == "rejected"
    for word in ("route", "clean", "maybe", "reason"):
        assert word in first.text
    assert again.text.startswith(first.text)
    assert "same answer" in again.text
    assert world.one("SELECT count(*) FROM rejections") == 2
    assert host.tool(action="submit", request_id=request_of(host), output=CLEAN).ok
    check(world)
