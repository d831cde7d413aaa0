"""The mistakes an author makes: each marked line is reported by both checkers, and no other."""

# pyright: strict

from typing import Literal

from pydantic import BaseModel

from segue import Context, Node, ShellResult, Workflow


class Task(BaseModel):
    task: str


class Verdict(BaseModel):
    route: Literal["clean", "issues_found"]


flow = Workflow("flow", input=Task, start="look")
other = Workflow("other", input=Task, start="look")
plain = Workflow("plain", start="tick")


@flow.agent(output=Verdict)
def look(ctx: Context[Task]) -> str:
    return ctx.input.tsk  # fault: the input has no such field


@flow.agent(output=Verdict)  # fault: a prompt is a text
def number(ctx: Context[Task]) -> int:
    return 1


@flow.agent(output=Verdict)  # fault: the context of another input
def stranger(ctx: Context[Verdict]) -> str:
    return ctx.input.route


@flow.agent(output=dict)  # fault: an output is a pydantic model
def loose(ctx: Context[Task]) -> str:
    return ""


@flow.agent(ouput=Verdict)  # fault: a misspelt setting
def misspelt(ctx: Context[Task]) -> str:
    return ""


@flow.agent(timeout="soon")  # fault: a timeout is a number, None or a function
def soon(ctx: Context[Task]) -> str:
    return ""


@flow.compute
def count(ctx: Context[Task]) -> int:
    return ctx.output(look).rout  # fault: the output has no such field


@flow.compute  # fault: it takes the context
def nothing() -> int:
    return 1


@flow.action(effect="maybe")  # fault: an effect is idempotent or manual
def maybe(ctx: Context[Task]) -> int:
    return 1


@flow.action()  # fault: an action declares its effect
def undeclared(ctx: Context[Task]) -> int:
    return 1


@flow.shell(effect="manual")  # fault: a command is a list of words, not one of numbers
def command(ctx: Context[Task]) -> list[int]:
    return [1]


def parse(result: ShellResult) -> str:
    return result.stdot  # fault: the result has no such field


@flow.decision()  # fault: a decision has choices
def pick(ctx: Context[Task]) -> str:
    return ""


@flow.human_decision(choices=["a"], on_timeout=3)  # fault: on_timeout is a choice
def approve(ctx: Context[Task]) -> str:
    return ""


flow.wait("nap", seconds="5")  # fault: seconds is a number
flow.wait("nap", until="tomorrow")  # fault: until is a moment
Workflow("bad", input=Task)  # fault: a workflow has a start
flow.exit("done", look, output=Task)  # fault: the node's output is another model
flow.include("again", other)  # fault: the included workflow wants an input
flow.include("again", other, input=lambda ctx: ctx.visit)  # fault: that is not its input
flow.include("plain", plain).exit(3)  # fault: an exit is a handle or a name
flow.edge(flow.include("inner", plain), look)  # fault: a mount is left by an exit
flow.edge(look, 3)  # fault: a target is a handle or a name
flow.switch(look, on=3, cases={"clean": None})  # fault: on is a path or OUTCOME
flow.on_failure("look", count)  # fault: a failure is of a node
wrong: Node[str] = count  # fault: the node gives numbers


@flow.compute
def read(ctx: Context[Task]) -> str:
    done = other.exit("done", count, output=int)
    mount = flow.include("other", other, input=lambda ctx: Task(task=ctx.input.task))
    _ = ctx.latest(look, None).route  # fault: there may be nothing yet
    ctx.output("look")  # fault: an output is read by its handle
    return ctx.output(mount.exit(done))  # fault: the exit gives a number
