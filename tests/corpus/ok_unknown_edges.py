"""Edges made in a loop: the graph is not settled, so nothing is unreachable."""

from pydantic import BaseModel
from segue import Context, Workflow


class Task(BaseModel):
    task: str


wf = Workflow("ok-unknown-edges", input=Task, start="a")


@wf.agent(status="x")
def a(ctx: Context[Task]) -> str:
    return f"Do it: {ctx.input.task}"


@wf.agent(status="x")
def b(ctx: Context[Task]) -> str:
    return f"Do it: {ctx.input.task}"


@wf.agent(status="x")
def c(ctx: Context[Task]) -> str:
    return f"Do it: {ctx.input.task}"


for node in (a, b):
    wf.edge(node, c)
