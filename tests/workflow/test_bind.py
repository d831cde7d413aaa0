"""Every node has a path, and every path knows the type of what the node leaves behind."""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Coroutine
from typing import TYPE_CHECKING, Any, Literal, get_args

import pytest
from pydantic import BaseModel

from segue import Context, HumanDecision, Node, NoInput, ShellResult, Workflow
from segue.session.workflow.bind import bind, find_exit, output_type, source_path
from segue.session.workflow.contract import Rejected, accept

if TYPE_CHECKING:
    from decimal import Decimal

    from segue import Context as OnlyForCheckers


class Verdict(BaseModel):
    reason: str


def flow(name: str = "flow") -> Workflow[NoInput]:
    return Workflow(name, start="look")


def prompt(ctx: Context[Any]) -> str:
    return ""


def test_a_mount_s_nodes_lie_under_its_name() -> None:
    inner, middle, outer = flow("inner"), flow("middle"), flow("outer")
    look = inner.agent(output=Verdict)(prompt)
    middle.include("in_1", inner)
    middle.include("in_2", inner)
    outer.include("mid", middle)
    outer.agent()(prompt)
    bound = bind(outer)
    assert list(bound) == ["prompt", "mid", "mid/in_1", "mid/in_1/prompt", "mid/in_2",
                           "mid/in_2/prompt"]  # fmt: skip
    assert bound["mid/in_1/prompt"].node is bound["mid/in_2/prompt"].node is look
    assert bound["mid/in_1/prompt"].prefix == "mid/in_1/"
    assert bound["mid/in_1/prompt"].value_type is Verdict
    assert bound["mid/in_1"].value_type is NoInput
    assert bound["mid/in_1/prompt"].workflow is inner


def test_a_workflow_that_includes_itself_has_no_paths() -> None:
    one, two = flow("one"), flow("two")
    one.include("two", two)
    two.include("one", one)
    with pytest.raises(RecursionError, match="includes itself"):
        bind(one)


def test_an_exit_leads_to_its_node() -> None:
    inner, outer = flow("inner"), flow("outer")
    look = inner.agent(output=Verdict)(prompt)
    done = inner.exit("done", look, output=Verdict)
    mount = outer.include("in", inner)
    assert source_path("up/", mount.exit(done)) == "up/in/prompt"
    assert source_path("", mount.exit("nowhere")) is None
    assert source_path("up/", look) == "up/prompt"
    assert find_exit(mount, "done") is done


def sync_fn(ctx: Context[Any]) -> dict[str, int]:
    return {}


async def async_fn(ctx: Context[Any]) -> dict[str, int]:
    return {}


def coroutine_fn(ctx: Context[Any]) -> Coroutine[Any, Any, dict[str, int]]:
    return async_fn(ctx)


def awaitable_fn(ctx: Context[Any]) -> Awaitable[dict[str, int]]:
    return async_fn(ctx)


def checkers_only(ctx: OnlyForCheckers[Any]) -> dict[str, int]:
    return {}


def unreadable(ctx: Context[Any]) -> Decimal:
    raise NotImplementedError


def unsaid(ctx):  # type: ignore[no-untyped-def]  # what an author may write
    return 3


def nothing(ctx: Context[Any]) -> None:
    return None


@pytest.mark.parametrize("fn", [sync_fn, async_fn, coroutine_fn, awaitable_fn, checkers_only])
def test_a_compute_s_type_is_what_its_function_says(fn: Any) -> None:
    """Also where another annotation is there for type checkers only."""
    assert output_type(flow().compute(fn)) == dict[str, int]


@pytest.mark.parametrize("fn", [unreadable, unsaid, functools.partial(sync_fn), lambda ctx: 1])
def test_what_cannot_be_read_says_nothing(fn: Any) -> None:
    assert output_type(flow().compute(fn)) is Any


def test_each_kind_has_its_type() -> None:
    w = flow()
    argv = lambda ctx: ["true"]  # noqa: E731
    parse = lambda result: 1  # noqa: E731

    def parsed(result: ShellResult) -> list[int]:
        return [result.exit_code]

    nodes: list[tuple[Node[Any], Any]] = [
        (w.agent(output=Verdict)(prompt), Verdict),
        (w.agent()(prompt), None),
        (w.assistant()(prompt), str),
        (w.notify(prompt), str),
        (w.checkpoint()(prompt), str),
        (w.checkpoint(output=Verdict)(prompt), Verdict),
        (w.wait("nap", seconds=1), None),
        (w.compute(nothing), type(None)),
        (w.action(effect="manual")(sync_fn), dict[str, int]),
        (w.shell(effect="manual")(argv), ShellResult),
        (w.shell(effect="manual", parse=parse)(argv), Any),
    ]
    for node, expected in nodes:
        assert output_type(node) == expected, node.kind
    made = w.shell(effect="manual", parse=parsed)(argv)
    # Written in a function, `list[int]` is still found among the builtins.
    assert output_type(made) == list[int]


def test_a_decision_is_narrowed_to_its_choices() -> None:
    w = flow()

    @w.decision(choices=["go", "stop"])
    def which_way(ctx: Context[NoInput]) -> str:
        return ""

    model = output_type(which_way)
    assert model.__name__ == "WhichWayDecision"
    assert get_args(model.model_fields["choice"].annotation) == ("go", "stop")
    assert accept(model, {"choice": "go", "reason": "r"}) == {"choice": "go", "reason": "r"}
    with pytest.raises(Rejected, match='choice: expected one of "go", "stop"'):
        accept(model, {"choice": "maybe", "reason": "r"})
    with pytest.raises(Rejected, match="no such field"):
        accept(model, {"choice": "go", "reason": "r", "more": 1})


def test_a_human_decision_is_one_too() -> None:
    node = flow().human_decision(choices=["yes"])(prompt)
    model = output_type(node)
    assert issubclass(model, HumanDecision)
    assert model.model_fields["choice"].annotation == Literal["yes"]
