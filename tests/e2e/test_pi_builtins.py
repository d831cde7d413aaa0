"""A built-in in a real Pi: planning, a person's approval in the terminal, carrying it out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from .lane import Lane
from .pi_rpc import FLAGS, environment
from .provider import STEP, Move, Say, Seen, submit, text_of
from .terminal import Terminal

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.e2e

ANSWERS = Path(__file__).parents[2] / "examples" / "autoplan.answers.json"
SHIP = '''"""Plan a change, have the plan approved, and carry it out."""
from pydantic import BaseModel
from segue import Context, Workflow
from segue.builtins.plan_change import Change, approved, no_plan, plan_change, stopped

class Task(BaseModel):
    task: str

ship = Workflow("ship", input=Task, start="planning", max_steps=200)
planning = ship.include("planning", plan_change, input=lambda ctx: Change(problem=ctx.input.task))

@ship.agent(status="carrying the plan out")
def build(ctx: Context[Task]) -> str:
    made = ctx.output(planning.exit(approved))
    return f"BUILD what {made.provenance} approved: {ctx.excerpt(made.plan, 2_000)}"

ship.edge(planning.exit(approved), build)
ship.edge(planning.exit(stopped), None)
ship.edge(planning.exit(no_plan), None)
'''


class Planner:
    """A model that follows the example's answers, node by node."""

    def __init__(self) -> None:
        self._items: dict[str, list[Any]] = json.loads(ANSWERS.read_text("utf-8"))
        self._used: dict[str, int] = {}

    def __call__(self, seen: Seen) -> Move:
        if seen.last["role"] == "tool" and "Not accepted" not in text_of(seen.last):
            return Say("done with it")
        steps = [s for m in seen.messages if m["role"] == "user" for s in STEP.findall(text_of(m))]
        path = steps[-1][1]
        node = path.removeprefix("planning/planning/")
        if node == "build":
            return submit(seen, None)
        number = self._used.get(node, 0)
        self._used[node] = number + 1
        item = self._items[node][number]
        return Say(item) if isinstance(item, str) else submit(seen, item)


@pytest.fixture
def lane(tmp_path: Path) -> Iterator[Lane]:
    made = Lane(tmp_path, "1.6.0")
    (made.project / ".segue" / "workflows" / "ship.py").write_text(SHIP, "utf-8")
    made.script = Planner()
    yield made
    made.close()


@pytest.fixture
def terminal(lane: Lane) -> Iterator[Terminal]:
    command = [*lane.command, *FLAGS]
    made = Terminal("segue-builtins", command, lane.project, environment(lane.home))
    yield made
    made.close()


def test_a_plan_is_made_approved_in_the_terminal_and_carried_out(
    lane: Lane, terminal: Terminal
) -> None:
    """H1, H3: the plan goes on because a person said so, and the next step says that."""
    terminal.wait("mock-model")
    terminal.type("/workflow ship exports of many rows time out ")
    terminal.wait("time out")
    terminal.type("Enter")
    screen = terminal.wait("→ continue", 120)
    assert "replan" in screen
    assert lane.run_state() == ("waiting", "human")
    terminal.type("Enter")
    terminal.wait("✓ ship completed", 120)
    last = [t for t in lane.provider.seen[-1].texts("user") if "BUILD" in t]
    assert "BUILD what human approved" in last[0]
    assert "Exports of any size by the job worker" in last[0]
