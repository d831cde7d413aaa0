"""Each rule that a loaded graph has to keep, found with its code, node and line."""

from __future__ import annotations

import inspect
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

import pytest
from pydantic import BaseModel

from segue import OUTCOME, Context, Decision, NoInput, ShellResult, Workflow
from segue.session.workflow.findings import Code, Severity
from segue.session.workflow.validate import validate

if TYPE_CHECKING:
    from collections.abc import Callable

    from segue.session.workflow.findings import Finding


class Verdict(BaseModel):
    route: Literal["clean", "issues"]
    flag: bool = True
    text: str = ""


class Unschemable(BaseModel):
    model_config = {"arbitrary_types_allowed": True}
    fn: object
    cb: "type[Verdict] | Callable[[], int] | None" = None  # noqa: UP037


def prompt(ctx: Context[Any]) -> str:
    return ""


def argv(ctx: Context[Any]) -> list[str]:
    return ["true"]


def flow(start: str = "look", **more: Any) -> Workflow[NoInput]:
    return Workflow("flow", start=start, **more)


def line(back: int = 0) -> int:
    """Give the caller's own line, or one some lines above it."""
    frame = inspect.currentframe()
    assert frame is not None
    assert frame.f_back is not None
    return frame.f_back.f_lineno - back


def only(workflow: Workflow[Any]) -> Finding:
    found = validate(workflow)
    assert len(found) == 1, [str(f) for f in found]
    assert found[0].path == __file__
    assert found[0].severity is Severity.ERROR
    return found[0]


def expect(workflow: Workflow[Any], code: Code, subject: str, at: int, said: str = "") -> None:
    found = only(workflow)
    assert (found.code, found.subject, found.line) == (code, subject, at)
    assert said in found.message


def looked(**settings: Any) -> Workflow[NoInput]:
    """A workflow with one node, `look`, that is right but for its settings."""
    w = flow()

    @w.agent(**settings)
    def look(ctx: Context[NoInput]) -> str:
        return ""

    return w


def test_a_sound_graph_has_no_findings() -> None:
    w = Workflow("review", input=Verdict, start="look", max_steps=20)
    look = w.agent(output=Verdict, timeout=60)(named("look", prompt))
    fix = w.agent(timeout=None)(named("fix", prompt))
    build = w.shell(effect="idempotent")(named("build", argv))
    nap = w.wait("nap", seconds=0)
    inner = Workflow("inner", start="pick")
    pick = inner.decision(choices=["a", "b"])(named("pick", prompt))
    done = inner.exit("done", pick, output=Decision)
    mount = w.include("inner", inner)
    w.switch(look, on="route", cases={"clean": None, "issues": fix})
    w.edge(fix, build)
    w.switch(build, on=OUTCOME, cases={"ok": mount, "failed": nap, "timed_out": None})
    w.edge(nap, "look")
    w.switch(mount.exit(done), on="choice", cases={"a": look, "b": None})
    w.on_failure(look, fix)
    assert validate(w) == []


def named(name: str, like: Callable[..., Any]) -> Any:
    """Give a function as if it had been written under that name."""

    def made(ctx: Any) -> Any:
        return like(ctx)

    made.__name__ = name
    made.__annotations__ = dict(like.__annotations__)
    return made


# --- names


@pytest.mark.parametrize(("name", "said"), [("Flow", "lowercase words"), ("status", "a word of")])
def test_a_workflow_s_name_can_be_typed(name: str, said: str) -> None:
    w = Workflow(name, start="look")
    at = line(1)
    w.agent()(named("look", prompt))
    expect(w, Code.RESERVED_NAME, name, at, said)


def test_a_node_s_name_goes_into_a_path() -> None:
    w = flow("a/b")
    w.wait("a/b", seconds=1)
    expect(w, Code.RESERVED_NAME, "a/b", line(1), "use letters, digits")


def test_a_name_given_twice_is_said_once() -> None:
    w = flow()
    for _ in range(3):
        w.wait("look", seconds=1)
    expect(w, Code.DUPLICATE_NAME, "look", line(1), "rename one")


def test_a_mount_and_a_node_share_their_names() -> None:
    w, inner = flow(), Workflow("inner", start="x")
    inner.wait("x", seconds=1)
    w.wait("look", seconds=1)
    at = line(1)
    w.include("look", inner)
    expect(w, Code.DUPLICATE_NAME, "look", at)


# --- settings


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"timeout": 0}, "timeout has to be more than 0"),
        ({"timeout": -1.5}, "timeout has to be more than 0"),
        ({"timeout": float("nan")}, "timeout has to be more than 0"),
        ({"timeout": float("inf")}, "timeout has to be more than 0"),
        ({"timeout": True}, "timeout has to be more than 0"),
        ({"timeout": "60"}, "timeout has to be more than 0"),
        ({"status": 3}, "status has to be a text"),
        ({"output": dict}, "output has to be a pydantic model"),
        ({"output": Verdict(route="clean")}, "output has to be a pydantic model"),
        ({"output": Unschemable}, "output Unschemable has no JSON schema"),
    ],
)
def test_an_agent_s_settings_are_checked(settings: dict[str, Any], said: str) -> None:
    found = only(looked(**settings))
    assert (found.code, found.subject) == (Code.BAD_SETTING, "look")
    assert f"node 'look': {said}" in found.message


@pytest.mark.parametrize(
    ("settings", "subject"),
    [
        ({"max_steps": 0}, "max_steps"),
        ({"max_steps": "9"}, "max_steps"),
        ({"on_reopen": "never"}, "on_reopen"),
        ({"input": dict}, "input"),
    ],
)
def test_a_workflow_s_settings_are_checked(settings: dict[str, Any], subject: str) -> None:
    w = Workflow("flow", start="look", **settings)
    at = line(1)
    w.wait("look", seconds=1)
    expect(w, Code.BAD_SETTING, subject, at)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({}, "one of seconds= and until="),
        ({"seconds": 1, "until": lambda ctx: None}, "one of seconds= and until="),
        ({"seconds": -1}, "between 0 and ten years"),
        ({"seconds": 1e12}, "between 0 and ten years"),
        ({"seconds": float("inf")}, "between 0 and ten years"),
        ({"seconds": "5"}, "between 0 and ten years"),
        ({"until": datetime(2030, 1, 1)}, "needs a time zone"),
        ({"until": "tomorrow"}, "needs a time zone"),
    ],
)
def test_a_wait_is_checked(settings: dict[str, Any], said: str) -> None:
    w = flow()
    w.wait("look", **settings)
    expect(w, Code.BAD_SETTING, "look", line(1), said)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"choices": []}, "one or more different words"),
        ({"choices": ["a", "a"]}, "one or more different words"),
        ({"choices": ["a", " "]}, "each choice has to be a word"),
        ({"choices": ["a", 3]}, "each choice has to be a word"),
        ({"choices": ["a", []]}, "each choice has to be a word"),
        ({"choices": ["a"], "text": ["b"]}, "text names 'b'"),
        ({"choices": ["a"], "on_timeout": "b", "timeout": 5}, "on_timeout is 'b'"),
        ({"choices": ["a"], "on_timeout": "a"}, "on_timeout needs a timeout"),
    ],
)
def test_choices_are_checked(settings: dict[str, Any], said: str) -> None:
    w = flow()
    look = w.human_decision(**settings)(named("look", prompt))
    w.switch(look, on="choice", cases=dict.fromkeys("a"))
    assert any(
        f.code is Code.BAD_SETTING and said in f.message and f.subject == "look"
        for f in validate(w)
    )


def test_an_assistant_may_say_something() -> None:
    w = flow()
    w.assistant(max_chars=0)(named("look", prompt))
    assert only(w).code is Code.BAD_SETTING


@pytest.mark.parametrize("effect", [None, "", "maybe"])
def test_an_effect_is_declared(effect: Any) -> None:
    w = flow()
    w.shell(effect=effect)(named("look", argv))
    found = only(w)
    assert (found.code, found.subject) == (Code.NO_EFFECT, "look")
    assert 'effect="idempotent"' in found.message


# --- callbacks


def test_a_callback_takes_the_context() -> None:
    w = flow()

    @w.compute  # type: ignore[arg-type]
    def look() -> int:
        return 1

    expect(w, Code.BAD_CALLBACK, "look", line(4), "take one argument, the context")


@pytest.mark.parametrize(
    "fn",
    [lambda ctx: 1, lambda *a: 1, lambda ctx, more=2: 1, print, str, Verdict.model_dump],
)
def test_what_can_be_called_with_one_argument_is_fine(fn: Any) -> None:
    w = flow("f")
    w.compute(fn).name = "f"
    assert validate(w) == []


@pytest.mark.parametrize("setting", ["parse", "progress", "timeout"])
def test_the_other_functions_take_one_argument_too(setting: str) -> None:
    w = flow()
    shell: Any = w.shell
    shell(effect="manual", **{setting: lambda: None})(named("look", argv))
    found = only(w)
    assert (found.code, found.subject) == (Code.BAD_CALLBACK, "look")
    assert f"{setting}=" in found.message


def test_a_mount_s_input_takes_the_context() -> None:
    w, inner = flow("in"), Workflow("inner", start="x")
    inner.wait("x", seconds=1)
    w.include("in", inner, input=lambda: NoInput())  # type: ignore[arg-type,misc]
    expect(w, Code.BAD_CALLBACK, "in", line(1))


# --- edges


def test_a_start_that_is_not_there_names_what_is() -> None:
    w = Workflow("flow", start="lok")
    at = line(1)
    w.wait("look", seconds=1)
    expect(w, Code.UNKNOWN_TARGET, "lok", at, "(there are: look)")


def test_a_target_that_is_not_there_names_what_is() -> None:
    w = looked()
    w.edge(w.declared[0], "fx")
    expect(w, Code.UNKNOWN_TARGET, "fx", line(1), "there is no node 'fx' (there are: look)")


def test_parts_of_another_workflow_are_told() -> None:
    other = looked()
    w = looked()
    w.edge(other.declared[0], None)
    expect(w, Code.UNKNOWN_TARGET, "look", line(1), "belongs to another workflow")
    w = looked()
    w.edge(w.declared[0], other.declared[0])
    expect(w, Code.UNKNOWN_TARGET, "look", line(1), "include that one")


def test_a_mount_is_left_by_an_exit() -> None:
    w, inner = flow("in"), looked()
    inner.exit("done", inner.declared[0], output=type(None))
    mount = w.include("in", inner)
    w.edge(mount, None)  # type: ignore[arg-type]
    found = only(w)
    assert (found.code, found.line) == (Code.UNKNOWN_TARGET, line(2))
    assert "leave mount 'in' by one of its exits" in found.message


def test_an_exit_that_is_not_there_names_what_is() -> None:
    w, inner = flow("in"), looked()
    inner.exit("done", inner.declared[0], output=type(None))
    w.edge(w.include("in", inner).exit("dome"), None)
    expect(w, Code.UNKNOWN_TARGET, "in.dome", line(1), "no exit 'dome' (it has: done)")


def test_a_port_of_another_workflow_s_mount_is_told() -> None:
    inner, other, w = looked(), flow(), looked()
    port = other.include("in", inner).exit("done")
    w.edge(port, None)
    expect(w, Code.UNKNOWN_TARGET, "in.done", line(1), "mounted in another workflow")


@pytest.mark.parametrize("thing", [3, None, object(), prompt])
def test_an_edge_is_between_parts(thing: Any) -> None:
    w = looked()
    w.edge(thing, None)
    assert only(w).code is Code.UNKNOWN_TARGET
    if thing is not None:
        w = looked()
        w.edge(w.declared[0], thing)
        assert only(w).code is Code.UNKNOWN_TARGET


def test_a_node_has_one_outgoing_edge() -> None:
    w = looked()
    first = line(-1)
    w.edge(w.declared[0], None)
    w.edge(w.declared[0], "look")
    expect(w, Code.SECOND_EDGE, "look", line(1), f"(line {first})")


def test_a_node_has_one_failure_route() -> None:
    w = looked()
    w.edge(w.declared[0], None)
    w.on_failure(w.declared[0], "look")
    w.on_failure(w.declared[0], "look")
    expect(w, Code.SECOND_EDGE, "look", line(1), "failure route")


def test_failures_are_routed_once() -> None:
    w = looked()
    w.switch(w.declared[0], on=OUTCOME, cases={"ok": None, "failed": None, "timed_out": None})
    w.on_failure(w.declared[0], "look")
    expect(w, Code.SECOND_EDGE, "look", line(1), "drop on_failure")


# --- switches


def switched(on: Any, cases: dict[Any, Any], **settings: Any) -> Workflow[NoInput]:
    w = looked(**(settings or {"output": Verdict}))
    w.switch(w.declared[0], on=on, cases=cases)
    return w


@pytest.mark.parametrize(
    ("on", "cases", "missing"),
    [
        ("route", {"clean": None}, "issues"),
        ("flag", {True: None}, "False"),
        ("flag", {1: None, False: None}, "True"),
        (OUTCOME, {"ok": None, "failed": None}, "timed_out"),
    ],
)
def test_a_missing_case_is_named(on: Any, cases: dict[Any, Any], missing: str) -> None:
    found = validate(switched(on, cases))
    assert (Code.MISSING_CASE, missing) in [(f.code, f.subject) for f in found]


@pytest.mark.parametrize(
    ("on", "cases", "extra"),
    [
        ("route", {"clean": None, "issues": None, "other": None}, "other"),
        ("flag", {True: None, False: None, "true": None}, "true"),
        (OUTCOME, {"ok": None, "failed": None, "timed_out": None, "late": None}, "late"),
        ("text", {("a",): None}, "('a',)"),
    ],
)
def test_an_extra_case_is_named(on: Any, cases: dict[Any, Any], extra: str) -> None:
    expect_any = only(switched(on, cases))
    assert (expect_any.code, expect_any.subject) == (Code.EXTRA_CASE, extra)


def test_an_open_field_takes_any_case_but_not_none() -> None:
    assert validate(switched("text", {"a": None, 3: None, None: None})) == []
    assert validate(switched("text", {}))[0].code is Code.MISSING_CASE


def test_a_path_that_leads_nowhere_is_told() -> None:
    w = looked(output=Verdict)
    w.switch(w.declared[0], on="rout", cases={"clean": None})
    expect(w, Code.BAD_PATH, "rout", line(1), "Verdict has no field 'rout'")


@pytest.mark.parametrize("kind", ["agent", "wait", "compute"])
def test_a_switch_needs_an_output(kind: str) -> None:
    w = flow()

    def look(ctx: Context[NoInput]) -> None:
        return None

    makers: dict[str, Callable[[], Any]] = {
        "agent": lambda: w.agent()(named("look", prompt)),
        "wait": lambda: w.wait("look", seconds=1),
        "compute": lambda: w.compute(look),
    }
    w.switch(makers[kind](), on="route", cases={"clean": None})
    expect(w, Code.NO_OUTPUT_MODEL, "look", line(1), "switch on OUTCOME")


def test_a_mount_s_exit_is_switched_on_by_its_model() -> None:
    w, inner = flow("in"), looked(output=Verdict)
    done = inner.exit("done", inner.declared[0], output=Verdict)
    w.switch(w.include("in", inner).exit(done), on="route", cases={"clean": None})
    expect(w, Code.MISSING_CASE, "issues", line(1))


def test_a_type_nobody_can_read_is_left_to_the_run() -> None:
    w = flow()
    node = w.compute(named("look", lambda ctx: 1))
    w.switch(node, on="any.thing", cases={"a": None})
    assert validate(w) == []


# --- exits


def test_an_exit_s_node_is_this_workflow_s() -> None:
    w, other = looked(), looked()
    w.exit("done", other.declared[0], output=type(None))
    expect(w, Code.BAD_EXIT, "done", line(1), "another workflow")


def test_an_exit_has_a_name_of_its_own() -> None:
    w = looked()
    w.exit("a.b", w.declared[0], output=type(None))
    expect(w, Code.BAD_EXIT, "a.b", line(1), "letters, digits")
    w = flow("a")
    a, b = w.wait("a", seconds=1), w.wait("b", seconds=1)
    w.on_failure(a, b)
    w.exit("done", a, output=type(None))
    w.exit("done", b, output=type(None))
    assert [(f.code, f.line) for f in validate(w)] == [
        (Code.BAD_EXIT, line(3)),
        (Code.BAD_EXIT, line(3)),
    ]


def test_a_node_is_one_exit() -> None:
    w = looked()
    w.exit("one", w.declared[0], output=type(None))
    w.exit("two", w.declared[0], output=type(None))
    assert {f.code for f in validate(w)} == {Code.BAD_EXIT}


def test_an_exit_is_an_end() -> None:
    w = looked()
    w.edge(w.declared[0], None)
    w.exit("done", w.declared[0], output=type(None))
    expect(w, Code.BAD_EXIT, "done", line(1), "nothing ends there")


def test_an_exit_s_output_is_its_node_s() -> None:
    w = looked(output=Verdict)
    w.exit("done", w.declared[0], output=ShellResult)
    expect(w, Code.BAD_EXIT, "done", line(1), "has the output Verdict, not ShellResult")
    w = looked(output=Verdict)
    w.exit("done", w.declared[0], output=BaseModel)
    assert validate(w) == []


# --- the whole graph


def test_what_nothing_leads_to_is_told() -> None:
    w = looked()
    w.wait("lost", seconds=1)
    expect(w, Code.UNREACHABLE, "lost", line(1), "nothing leads to 'lost'")


def test_a_loop_without_a_way_out_is_told_node_by_node() -> None:
    w = flow("a")
    a, b = w.wait("a", seconds=1), w.wait("b", seconds=1)
    w.edge(a, b)
    w.edge(b, a)
    found = validate(w)
    assert [(f.code, f.subject) for f in found] == [(Code.NO_END, "a"), (Code.NO_END, "b")]


def test_a_failure_route_out_of_a_loop_is_a_way_out() -> None:
    w = flow("a")
    a, b, c = (w.wait(name, seconds=1) for name in "abc")
    w.edge(a, b)
    w.edge(b, a)
    w.on_failure(a, c)
    assert validate(w) == []


def test_a_mount_with_an_unrouted_exit_can_end() -> None:
    w, inner = flow("in"), flow("a")
    a, b = inner.wait("a", seconds=1), inner.wait("b", seconds=1)
    inner.on_failure(a, b)
    one = inner.exit("one", a, output=type(None))
    inner.exit("two", b, output=type(None))
    mount = w.include("in", inner)
    w.edge(mount.exit(one), mount)
    assert validate(w) == []
    w.edge(mount.exit("two"), mount)
    assert [f.code for f in validate(w)] == [Code.NO_END]


def test_an_unsure_graph_is_not_judged_as_a_whole() -> None:
    """One misspelt name does not make ten findings."""
    w = looked()
    w.wait("next", seconds=1)
    w.edge(w.declared[0], "nxt")
    assert [f.code for f in validate(w)] == [Code.UNKNOWN_TARGET]


# --- includes


def test_included_workflows_are_checked_once_however_often_they_are_mounted() -> None:
    w, inner = flow("one"), looked(timeout=0)
    one, two = w.include("one", inner), w.include("two", inner)
    inner.exit("done", inner.declared[0], output=type(None))
    w.edge(one.exit("done"), two)
    assert [f.code for f in validate(w)] == [Code.BAD_SETTING]


def test_a_workflow_that_includes_itself_is_told() -> None:
    w = flow("in")
    w.include("in", w)
    at = line(1)
    expect(w, Code.INCLUDE_CYCLE, "in", at, "includes this workflow again")


def test_a_longer_cycle_is_told_where_it_closes() -> None:
    one, two = flow("two"), flow("one")
    one.include("two", two)
    two.include("one", one)
    expect(one, Code.INCLUDE_CYCLE, "one", line(1))


def test_each_finding_reads_as_one_line() -> None:
    text = str(only(looked(timeout=0)))
    assert text.startswith(f"{__file__}:")
    assert "SG125 node 'look': timeout" in text
    assert "\n" not in text
