"""Broken inside a function: the rest is still checked."""

from pydantic import BaseModel
from segue import Context, Workflow


class Task(BaseModel):
    task: str


wf = Workflow("sg100-in-body", input=Task, start="a")


def helper() -> str:
    return "x" +  # SG100


@wf.agent(status="x")
def a(ctx: Context[Task]) -> str:
    return f"Do it: {ctx.input.task}"


@wf.agent(status="x")
def b(ctx: Context[Task]) -> str:
    return f"Do it: {ctx.input.task}"


wf.edge(a, nowhere)  # SG101 nowhere
wf.edge(b, a)
