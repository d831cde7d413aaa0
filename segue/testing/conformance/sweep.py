"""Lets the server die at every point of a story, one after the other, and tells the story on.

A story is what person and model do in one session. It is told through once to count the points,
and then once for each point, with a new server process after the death.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from .rules import check

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .host import FakeHost, Shape
    from .model import Model
    from .world import World


class Story(Protocol):
    """What happens in one session. Told again after a crash, it goes on where it stands."""

    def __call__(self, world: World, host: FakeHost) -> None: ...


def count(make: Callable[[], World], shape: Shape, story: Story) -> int:
    """Give the number of points that the story passes when nobody dies."""
    with make() as world:
        host = world.host("a", shape)
        passed = len(world.points.passed)
        story(world, host)
        check(world)
        return len(world.points.passed) - passed


def worlds(
    make: Callable[[], World], shape: Shape, story: Story, points: Iterator[int]
) -> Iterator[tuple[int, World]]:
    """Give, for each point, the world in which the story went on after a death there."""
    for number in points:
        with make() as world:
            host = world.host("a", shape)
            world.points.arm(number)
            story(world, host)
            world.points.arm(0)
            check(world)
            yield number, world


def go_on(world: World, host: FakeHost, model: Model) -> None:
    """Play on after a death: a new server, and the person resumes what waits for them."""
    for _ in range(6):
        if host.line is None:
            world.points.arm(0)
            world.restart(host)
        host.play(model)
        check(world)
        run = world.live(host.session)
        if run is None:
            return
        state, reason = world.state(host.session)
        if host.line is not None and state in ("waiting", "paused"):
            if reason in ("checkpoint", "human", "wait"):
                return
            world.resume(host)
        elif host.line is not None and host.turn is None:
            host.says("Go on.")  # the only thing that reaches a host without push
            host.play(model)
    raise AssertionError(f"the run does not end: {world.state(host.session)}")
