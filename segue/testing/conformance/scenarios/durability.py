"""D1 to D9: what a crash, a sleep or another process may never undo."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any

from ..flows import ANSWERS, CLEAN, REVIEW, write
from ..host import SHAPES
from ..model import Good
from ..rules import STATUSES, check
from .ownership import named
from .registry import scenario
from .turns import request_of

if TYPE_CHECKING:
    from ..world import World


@scenario("D2", "P-C9", "P-C11", "P-L1")
def a_kill_between_any_two_steps_loses_nothing(world: World) -> None:
    """Every shape of host, the server killed after each turn."""
    for shape in SHAPES:
        host = world.host(shape.name, shape)
        host.says("Review it.")
        host.tool(action="start", workflow="review")
        model = Good(dict(ANSWERS))
        for _ in range(20):
            if world.live(shape.name) is None:
                break
            if host.turn is not None:
                model.turn(host)
            else:
                host.says("Go on.")
            world.kill(host)
            world.restart(host)
            host.settle()
            check(world)
        assert world.state(shape.name) == ("completed", None), shape
        assert [(n, s) for n, _, _, s in world.trail(shape.name)] == [
            ("inspect", "ok"), ("fix", "ok"), ("inspect", "ok"), ("done", "ok"),
        ]  # fmt: skip


@scenario("D3", "P-C13")
def eight_hours_asleep_change_nothing(world: World) -> None:
    host = world.host("a")
    host.command("review")
    before = world.dump()
    world.clock.sleep()
    host.look()
    assert world.dump() == before
    host.play(Good(dict(ANSWERS)))
    assert world.state() == ("completed", None)
    check(world)


@scenario("D3", "D8", "P-C9")
def a_dead_owner_is_proved_and_a_person_elsewhere_can_act(world: World) -> None:
    """Nobody has to clear anything: the next look says it, the next attachment goes on."""
    host = world.host("a")
    host.command("review")
    world.kill(host)
    run = str(world.live("a"))
    watcher = world.host("watching")
    listed = watcher.command("runs").data["runs"]
    assert [r["status"] for r in listed if r["run"] == run] == ["waiting"]
    assert world.elsewhere(world.server(), "pause", run).text == "paused"
    assert world.elsewhere(world.server(), "cancel", run).text == "cancelled"
    assert host.turn is not None
    assert len(host.turns) == 1
    check(world)


@scenario("D4", "P-C1", "P-C5")
def losing_the_attachment_is_a_handoff(world: World) -> None:
    """No failure is written; another process's start leaves the first one's run alone."""
    a = world.host("a")
    a.command("review")
    world.host("b")
    assert world.state("a") == ("running", None)
    a.detach()
    assert world.state("a") == ("running", None)
    words = {word for (word,) in world.rows("SELECT state FROM runs")}
    assert words == {"running"}
    assert a.conversation.messages() != []
    world.restart(a)
    a.play(Good(dict(ANSWERS)))
    assert world.state("a") == ("completed", None)
    check(world)


@scenario("D5")
def a_run_goes_on_with_the_copy_it_was_started_with(world: World) -> None:
    host = world.host("a")
    host.command("review")
    write(world.project, "review", REVIEW.replace("Fix this", "Break this"))
    world.kill(host)
    world.restart(host)
    host.play(Good(dict(ANSWERS)))
    assert world.state() == ("completed", None)
    texts = [h.offer.text for h in host.handed]
    assert any("Fix this" in text for text in texts)
    assert not any("Break this" in text for text in texts)
    check(world)


@scenario("D6", "P-C2", "P-D5")
def a_worker_that_dies_twice_parks_the_run(world: World) -> None:
    """Counted on the run across processes; nothing is launched again, and one notice says so."""
    calls = count()

    def dies(message: dict[str, Any]) -> str | None:
        if message["do"] != "prompt":
            return None
        next(calls)
        return "killed by SIGKILL"

    world.points.worker_dies = dies
    host = world.host("a")
    host.command("review")
    assert world.state() == ("waiting", "no_progress")
    tried = next(calls)
    assert tried == 2
    for _ in range(5):
        host.look()
        world.kill(host)
        world.restart(host)
    assert next(calls) == tried + 1
    assert [kind for kind, _ in world.said()] == ["notice"]
    world.points.worker_dies = None
    world.resume(host)
    host.play(Good(dict(ANSWERS)))
    assert world.state() == ("completed", None)
    check(world)


@scenario("D7")
def every_view_says_the_same_word_of_the_closed_set(world: World) -> None:
    host = world.host("a")
    host.command("review")
    for act in (
        lambda: None,
        lambda: world.pause(host),
        lambda: host.ends(),
        lambda: world.resume(host),
        lambda: host.ends("failed", error="overloaded"),
        lambda: world.cancel(host),
    ):
        act()
        words = {
            host.command("status").data["status"],
            host.tool(action="status").data["status"],
            host.command("runs").data["runs"][0]["status"],
            host.views[-1]["status"],
        }
        assert len(words) == 1, words
        assert words <= STATUSES
    check(world)


@scenario("D8", "P-C6", "P-D5")
def why_it_stands_still_is_stored_and_what_to_type_works(world: World) -> None:
    """Each parked state names a reason and a command that is then executed."""
    host = world.host("a")

    def goes_on(reason: str) -> None:
        status = host.command("status").data
        assert status["reason"] == reason, status
        assert status["detail"] or status.get("explanation"), status
        typed = str(status["next_here"])
        assert typed.startswith("/workflow "), status
        world.silent.clear()
        said = host.command(typed.removeprefix("/workflow "))
        assert said.ok, said

    host.command("review")
    host.ends("failed", error="overloaded")
    goes_on("turn_failed")
    for _ in range(3):
        host.ends("completed", "Done.")
    goes_on("missing_submission")
    world.escape(host)
    goes_on("paused")
    host = world.reopen(host)
    goes_on("reopened")
    run = world.live("a")
    host.ends()
    other = world.host("b", server=host.server)
    other.command(f"rebind {run}")
    host = other
    goes_on("rebound")
    host.play(Good(dict(ANSWERS)))
    assert world.state("b") == ("completed", None)
    check(world)


@scenario("D9")
def a_cancel_from_elsewhere_is_stored_and_carried_out_by_the_owner(world: World) -> None:
    host = world.host("a")
    host.command("review")
    run = str(world.live("a"))
    other = world.server()
    assert other.elsewhere("cancel", run).ok
    assert world.one("SELECT asked FROM runs") == "cancel"
    assert world.state()[0] == "running"
    host.look()
    assert world.state()[0] == "cancelled"
    assert world.one("SELECT state FROM requests") == "cancelled"
    said = host.tool(action="submit", request_id=request_of(host), output=CLEAN)
    named(said, "conflict")
    assert "cancelled" in said.text
    host.ends("completed", "Stopped.")
    assert len(host.turns) == 1
    check(world)
