"""The server dies at every commit boundary and every host call; the story is told on (D2)."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import pytest

from segue.testing.conformance import PUSH, SHAPES, Good, World, local_world, sweep
from segue.testing.conformance.flows import ANSWERS
from segue.testing.conformance.host import LOST

if TYPE_CHECKING:
    from collections.abc import Callable

    from segue.testing.conformance import FakeHost, Shape


Make: TypeAlias = "Callable[[], World]"


@pytest.fixture
def make(tmp_path: Path) -> Make:
    return lambda: local_world(Path(tempfile.mkdtemp(dir=tmp_path)))


def started(world: World, host: FakeHost, flow: str) -> None:
    """Start a workflow, as often as it takes, with one and the same message."""
    for _ in range(3):
        if host.turn is None:
            host.says("Please.")
        said = host.tool_raw({"action": "start", "workflow": flow}, "call-start")
        if said is not LOST:
            assert said.ok, said
            return
        world.points.arm(0)
        world.restart(host)
    raise AssertionError("it does not start")


def review(world: World, host: FakeHost) -> None:
    """A review in which every step is done once, whatever dies."""
    started(world, host, "review")
    sweep.go_on(world, host, Good(dict(ANSWERS)))
    assert world.state() == ("completed", None)
    done = Counter((node, visit) for node, visit, _, state in world.trail() if state == "ok")
    assert set(done.values()) == {1}
    assert [n for n, *_ in world.trail()] == ["inspect", "fix", "inspect", "done"]


def tour(world: World, host: FakeHost) -> None:
    """Every kind of step, with a person, a wait and a pause in it."""
    started(world, host, "tour")
    model = Good(dict(ANSWERS))
    for _ in range(12):
        sweep.go_on(world, host, model)
        if world.live("a") is None:
            break
        state, reason = world.state()
        if reason == "human":
            host.decide(str(world.request()), "go")
        elif reason == "wait":
            world.clock.sleep(3_600)
            host.look()
        elif reason == "checkpoint" and host.turn is None:
            host.says("It is blue.")
            request = str(world.request())
            host.tool(action="answer", request_id=request, output="blue")
            if host.turn is not None:
                host.ends()
        elif (state, reason) == ("running", None) and host.turn is None and host.line is not None:
            host.says("Go on.")
    assert world.state() == ("completed", None)
    done = Counter((node, visit) for node, visit, _, state in world.trail() if state == "ok")
    assert set(done.values()) == {1}
    assert world.one("SELECT output FROM runs") == '{"colour":"blue"}'


def fails(world: World, host: FakeHost) -> None:
    """A run that breaks, and its one fallback."""
    started(world, host, "fragile")
    model = Good({"try_it": {"route": "issues_found", "reason": "x"}})
    for _ in range(4):
        if host.line is None:
            world.restart(host)
        host.play(model)
        if world.live("a") is not None:
            sweep.go_on(world, host, model)
    assert world.state()[0] == "failed"
    if not (host.shape.pushes and host.shape.proves) and host.turn is None:
        host.says("Well?")  # a later event of the host, which weak evidence waits for (T2)
        host.play(model)
    heard = [h.offer.id for h in host.handed if h.offer.kind == "fallback"]
    assert len(set(heard)) == 1
    assert heard[0] in host.conversation.messages()


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_a_review_survives_a_death_at_each_point(make: Make, shape: Shape) -> None:
    """D2, T2, P-B1, P-C11, P-L2: nothing lost, nothing twice, in every kind of host."""
    points = sweep.count(make, shape, review)
    tried = [n for n, _ in sweep.worlds(make, shape, review, iter(range(1, points + 1, 2)))]
    assert len(tried) == len(range(1, points + 1, 2)) > 20


def test_a_failing_run_has_one_fallback_whatever_dies(make: Make) -> None:
    """T1, T3, T10: record first, then say; once."""
    points = sweep.count(make, PUSH, fails)
    list(sweep.worlds(make, PUSH, fails, iter(range(1, points + 1))))


@pytest.mark.parametrize("name", ["push", "push-in-turn", "deferring"])
def test_a_tour_survives_a_death_at_each_point(make: Make, name: str) -> None:
    """D2, T2, H3: every kind of step."""
    shape = next(shape for shape in SHAPES if shape.name == name)
    points = sweep.count(make, shape, tour)
    list(sweep.worlds(make, shape, tour, iter(range(1, points + 1, 3))))


@pytest.mark.crash
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("story", [review, tour, fails])
def test_every_story_survives_a_death_at_each_point(
    make: Make, shape: Shape, story: sweep.Story
) -> None:
    """D2, T2: all stories, all hosts, all points."""
    if story is tour and not (shape.capabilities.wake and shape.capabilities.reply_text):
        pytest.skip("the host cannot wake an idle session")
    points = sweep.count(make, shape, story)
    list(sweep.worlds(make, shape, story, iter(range(1, points + 1))))
