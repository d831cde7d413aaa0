"""A loaded workflow becomes plain data; what is wrong with it is said all at once."""

from __future__ import annotations

from datetime import UTC, datetime
from enum import StrEnum
from itertools import pairwise
from typing import Any, Literal

import pytest
from pydantic import BaseModel

from segue import OUTCOME, Context, Node, NoInput, Workflow
from segue.session import limits
from segue.session.errors import WorkflowInvalid
from segue.session.workflow.compile import compile_workflow
from segue.session.workflow.snapshot import OUTCOME_PATH, EdgeDef


class Route(StrEnum):
    CLEAN = "clean"
    ISSUES = "issues"


class Verdict(BaseModel):
    route: Route


class Task(BaseModel):
    task: str


def prompt(ctx: Context[Any]) -> str:
    return ""


def argv(ctx: Context[Any]) -> list[str]:
    return []


def patience(ctx: Context[Any]) -> float:
    return 1


def named(name: str, fn: Any = prompt) -> Any:
    def made(ctx: Any) -> Any:
        return fn(ctx)

    made.__name__ = name
    made.__annotations__ = dict(fn.__annotations__)
    return made


def kinds() -> Workflow[Task]:
    """One node of each kind in a chain."""
    w = Workflow("kinds", input=Task, start="agent", title="T", description="D", max_steps=7)
    chain: list[Node[Any]] = [
        w.agent(output=Verdict, status="s", timeout=5)(named("agent")),
        w.agent(timeout=None)(named("silent")),
        w.assistant(max_chars=9)(named("assistant")),
        w.decision(choices=["b", "a"], timeout=patience)(named("decision")),
        w.compute(named("compute")),
        w.action(effect="manual")(named("action")),
        w.shell(effect="idempotent")(named("shell", argv)),
        w.wait("wait", until=datetime(2030, 1, 1, tzinfo=UTC)),
        w.notify(named("notify")),
        w.checkpoint()(named("checkpoint")),
        w.checkpoint(output=Verdict)(named("typed")),
        w.human_decision(choices=["y", "n"], text=["n"], timeout=60, on_timeout="n")(
            named("human")
        ),
    ]
    for one, other in pairwise(chain):
        w.edge(one, other)
    return w


def test_each_kind_is_compiled_with_its_settings() -> None:
    d = compile_workflow(kinds())
    assert (d.name, d.title, d.description, d.max_steps, d.start) == (
        "kinds", "T", "D", 7, "agent",
    )  # fmt: skip
    assert d.input_schema is not None
    assert d.input_schema["required"] == ["task"]
    kind = {path: node.kind for path, node in d.nodes.items()}
    assert kind == {
        "agent": "agent",
        "silent": "agent",
        "assistant": "assistant",
        "decision": "agent",
        "compute": "compute",
        "action": "action",
        "shell": "shell",
        "wait": "wait",
        "notify": "notify",
        "checkpoint": "checkpoint",
        "typed": "checkpoint",
        "human": "checkpoint",
    }
    timeouts = {path: node.timeout for path, node in d.nodes.items()}
    assert timeouts == {
        "agent": 5.0,
        "silent": None,
        "assistant": limits.AGENT_SECONDS,
        "decision": "call",
        "compute": limits.COMPUTE_SECONDS,
        "action": limits.ACTION_SECONDS,
        "shell": limits.ACTION_SECONDS,
        "wait": None,
        "notify": None,
        "checkpoint": None,
        "typed": None,
        "human": 60.0,
    }
    assert [p for p, node in d.nodes.items() if node.schema] == [
        "agent",
        "decision",
        "typed",
        "human",
    ]
    human = d.node("human")
    assert (human.human, human.choices, human.text, human.on_timeout) == (
        True, ("y", "n"), ("n",), "n",
    )  # fmt: skip
    assert (d.node("action").effect, d.node("shell").effect) == ("manual", "idempotent")
    assert (d.node("assistant").max_chars, d.node("agent").status) == (9, "s")
    assert d.node("agent").edge == EdgeDef(cases=((None, "silent"),))
    assert d.node("human").edge == EdgeDef()


def test_a_decision_s_schema_lists_its_choices() -> None:
    schema = compile_workflow(kinds()).node("decision").schema
    assert schema is not None
    properties = schema["properties"]
    assert isinstance(properties, dict)
    choice = properties["choice"]
    assert isinstance(choice, dict)
    assert choice["enum"] == ["b", "a"]


def test_switches_and_failures_are_one_edge() -> None:
    w = Workflow("w", start="look")
    look = w.agent(output=Verdict)(named("look"))
    fix = w.agent()(named("fix"))
    w.on_failure(look, fix)
    w.switch(look, on="route", cases={Route.CLEAN: None, Route.ISSUES: "fix"})
    w.switch(fix, on=OUTCOME, cases={"ok": None, "failed": look, "timed_out": fix})
    d = compile_workflow(w)
    assert d.node("look").edge == EdgeDef("route", (("clean", None), ("issues", "fix")), "fix")
    assert d.node("fix").edge == EdgeDef(
        OUTCOME_PATH, (("ok", None), ("failed", "look"), ("timed_out", "fix"))
    )


def nested() -> Workflow[NoInput]:
    inner = Workflow("inner", input=Task, start="try")
    attempt = inner.agent(output=Verdict)(named("try"))
    again = inner.agent()(named("again"))
    inner.on_failure(attempt, again)
    inner.edge(again, "try")
    done = inner.exit("done", attempt, output=Verdict)
    middle = Workflow("middle", start="in")
    mount = middle.include("in", inner, input=lambda ctx: Task(task=""))
    tell = middle.assistant()(named("tell"))
    middle.switch(mount.exit(done), on="route", cases={"clean": tell, "issues": mount})
    middle.exit("told", tell, output=str)
    outer = Workflow("outer", start="mid")
    mid = outer.include("mid", middle)
    outer.edge(mid.exit("told"), outer.wait("rest", seconds=1))
    return outer


def test_mounts_are_flattened_and_ports_resolved_away() -> None:
    d = compile_workflow(nested())
    assert {path: node.kind for path, node in d.nodes.items()} == {
        "mid": "mount",
        "mid/in": "mount",
        "mid/in/try": "agent",
        "mid/in/again": "agent",
        "mid/tell": "assistant",
        "rest": "wait",
    }
    edges = {path: node.edge for path, node in d.nodes.items()}
    assert edges == {
        "mid": EdgeDef(cases=((None, "mid/in"),)),
        "mid/in": EdgeDef(cases=((None, "mid/in/try"),)),
        "mid/in/try": EdgeDef(
            "route", (("clean", "mid/tell"), ("issues", "mid/in")), "mid/in/again"
        ),
        "mid/in/again": EdgeDef(cases=((None, "mid/in/try"),)),
        "mid/tell": EdgeDef(cases=((None, "rest"),)),
        "rest": EdgeDef(),
    }
    assert d.node("mid/in/try").mount == "mid/in"
    assert d.node("mid/in/try").name == "try"


def test_exits_are_named_at_the_top() -> None:
    w = Workflow("w", start="look")
    look = w.agent(output=Verdict)(named("look"))
    w.exit("done", look, output=Verdict)
    d = compile_workflow(w)
    assert d.exit_of("look") == "done"
    assert d.exit_of("other") is None


def test_a_place_names_the_module_and_the_line() -> None:
    d = compile_workflow(kinds())
    assert d.node("wait").module == "test_compile"
    assert d.node("wait").line > 50


def test_an_invalid_graph_says_the_first_thing_and_how_many_more() -> None:
    w = Workflow("w", start="look")

    class Loose(BaseModel):
        route: Literal["a", "b"]

    look = w.agent(output=Loose, timeout=0)(named("look"))
    w.switch(look, on="route", cases={})
    with pytest.raises(WorkflowInvalid, match=r"SG125 .* \(and 3 more: segue check\)") as error:
        compile_workflow(w)
    assert [f.code.value for f in error.value.findings] == ["SG125", "SG105", "SG105", "SG103"]
    assert "\n" not in str(error.value)


def test_a_workflow_that_includes_itself_is_refused_and_not_followed() -> None:
    w = Workflow("w", start="again")
    w.include("again", w)
    with pytest.raises(WorkflowInvalid, match="SG113"):
        compile_workflow(w)
