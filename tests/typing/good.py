"""Every part of the author's API, used rightly: both checkers have to agree with each type."""

# pyright: strict

from collections.abc import Awaitable, Sequence
from datetime import UTC, datetime
from typing import Any, Literal, assert_type

from pydantic import BaseModel

from segue import (
    OUTCOME,
    Context,
    Decision,
    Exit,
    HumanDecision,
    Mount,
    Node,
    NoInput,
    Port,
    Progress,
    ShellResult,
    Workflow,
)


class Task(BaseModel):
    task: str


class Verdict(BaseModel):
    route: Literal["clean", "issues_found"]
    reason: str


class Tests(BaseModel):
    passed: int


# A workflow knows its input, and needs none.

check = Workflow("check", input=Task, start="look")
assert_type(check, Workflow[Task])
plain = Workflow("plain", start="tick")
assert_type(plain, Workflow[NoInput])
assert_type(
    Workflow("full", start="a", max_steps=9, title="T", description="D", mount_only=True),
    Workflow[NoInput],
)


# agent


@check.agent(output=Verdict, status="looking", timeout=60)
def look(ctx: Context[Task]) -> str:
    assert_type(ctx.input, Task)
    assert_type(ctx.visit, int)
    return ctx.input.task


@check.agent(timeout=None)
async def fix(ctx: Context[Task]) -> str:
    return ctx.output(look).reason


def awaited(ctx: Context[Task]) -> Awaitable[str]:
    return fix_text(ctx)


async def fix_text(ctx: Context[Task]) -> str:
    return ctx.input.task


later = check.agent(output=Tests)(awaited)
assert_type(look, Node[Verdict])
assert_type(fix, Node[None])
assert_type(later, Node[Tests])


def patience(ctx: Context[Task]) -> float | None:
    return 10.0 * ctx.visit if ctx.visit < 3 else None


@check.agent(timeout=patience)
def patient(ctx: Context[Task]) -> str:
    return "go on"


# assistant, notify


@check.assistant(max_chars=100)
def tell(ctx: Context[Task]) -> str:
    return "say it"


@check.notify
def note(ctx: Context[Task]) -> str:
    return "noted"


assert_type(tell, Node[str])
assert_type(note, Node[str])


# decision, human_decision, checkpoint


@check.decision(choices=["go", "stop"])
def pick(ctx: Context[Task]) -> str:
    return "go or stop?"


@check.human_decision(choices=("ship", "drop"), text=["drop"], timeout=60, on_timeout="drop")
def approve(ctx: Context[Task]) -> str:
    return "ship it?"


@check.checkpoint()
def ask(ctx: Context[Task]) -> str:
    return "which one?"


@check.checkpoint(output=Tests, status="asking")
def ask_tests(ctx: Context[Task]) -> str:
    return "how many?"


assert_type(pick, Node[Decision])
assert_type(approve, Node[HumanDecision])
assert_type(ask, Node[str])
assert_type(ask_tests, Node[Tests])


# compute, action: the type is what the function returns


@check.compute
def count(ctx: Context[Task]) -> int:
    return len(ctx.input.task)


@check.compute
async def count_later(ctx: Context[Task]) -> list[str]:
    return ctx.input.task.split()


@check.compute(status="counting", timeout=1)
def count_timed(ctx: Context[Task]) -> Tests:
    return Tests(passed=ctx.output(count))


@check.compute(timeout=None)
async def count_both(ctx: Context[Task]) -> dict[str, int]:
    return {"n": ctx.output(count)}


@check.action(effect="idempotent")
def write(ctx: Context[Task]) -> str:
    ctx.progress(1, 2, "files", ctx.effect_key)
    return str(ctx.project)


@check.action(effect="manual", timeout=patience)
async def send(ctx: Context[Task]) -> None:
    return None


assert_type(count, Node[int])
assert_type(count_later, Node[list[str]])
assert_type(count_timed, Node[Tests])
assert_type(count_both, Node[dict[str, int]])
assert_type(write, Node[str])
assert_type(send, Node[None])


# shell: the captured result, or what `parse` makes of it


def parse(result: ShellResult) -> Tests:
    return Tests(passed=result.exit_code)


def progress(line: str) -> Progress | None:
    return Progress(1, 10, "tests", line) if line else None


@check.shell(effect="idempotent", exit_codes=None, env={"LANG": "C"})
def build(ctx: Context[Task]) -> list[str]:
    return ["make", ctx.input.task]


@check.shell(effect="idempotent", parse=parse, progress=progress, exit_codes=[0, 1])
def test(ctx: Context[Task]) -> Sequence[str]:
    return ("pytest", "-q")


assert_type(build, Node[ShellResult])
assert_type(test, Node[Tests])


# wait


def tomorrow(ctx: Context[Task]) -> datetime:
    return datetime.now(UTC)


nap = check.wait("nap", seconds=5)
doze = check.wait("doze", seconds=lambda ctx: 2.0 * ctx.visit, status="dozing")
alarm = check.wait("alarm", until=tomorrow)
assert_type(nap, Node[None])
assert_type(doze, Node[None])
assert_type(alarm, Node[None])


# A callback may ask for less than the workflow gives: Context is covariant.


class Narrow(Task):
    more: int


narrow = Workflow("narrow", input=Narrow, start="reuse")


@narrow.agent(output=Verdict)
def reuse(ctx: Context[Task]) -> str:
    return ctx.input.task


# edges, switches, failures


check.edge(look, fix)
check.edge(fix, "tell")
check.edge(tell, None)
check.switch(look, on="route", cases={"clean": count, "issues_found": None})
check.switch(build, on=OUTCOME, cases={"ok": test, "failed": "fix", "timed_out": None})
check.switch(pick, on="choice", cases={"go": look, "stop": None})
check.on_failure(test, fix)


# exits, mounts, ports


done = check.exit("done", look, output=Verdict)
assert_type(done, Exit[Verdict])

outer = Workflow("outer", input=Narrow, start="first")
first = outer.include("first", check, input=lambda ctx: Task(task=ctx.input.task))
second = outer.include("second", plain)
assert_type(first, Mount[Task])
assert_type(second, Mount[NoInput])
port = first.exit(done)
assert_type(port, Port[Verdict])
assert_type(first.exit("done"), Port[Any])
outer.edge(first.exit(done), second)
outer.switch(port, on="route", cases={"clean": second, "issues_found": first})


# Context.output and latest, through nodes and through ports


@outer.compute
def read(ctx: Context[Narrow]) -> str:
    assert_type(ctx.input, Narrow)
    assert_type(ctx.output(port), Verdict)
    assert_type(ctx.output(look), Verdict)
    assert_type(ctx.output(look).route, Literal["clean", "issues_found"])
    assert_type(ctx.output(fix), None)
    assert_type(ctx.output(pick).choice, str)
    assert_type(ctx.output(approve).provenance, Literal["human", "timeout", "policy"])
    assert_type(ctx.output(test), Tests)
    assert_type(ctx.output(first.exit("done")), Any)
    assert_type(ctx.latest(look, None), Verdict | None)
    assert_type(ctx.latest(port, None), Verdict | None)
    assert_type(ctx.latest(count, 0), int)
    assert_type(ctx.excerpt(ctx.output(look), 500), str)
    assert_type(ctx.run_id, str)
    return ctx.output(port).reason
