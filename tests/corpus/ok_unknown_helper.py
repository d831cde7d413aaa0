"""Edges made by a function: the graph is not settled."""

from pydantic import BaseModel
from segue import Context, Workflow


class Task(BaseModel):
    task: str


wf = Workflow("ok-unknown-helper", input=Task, start="a")


def finish(workflow: Workflow[Task]) -> None:
    workflow.edge(a, "b")


@wf.agent(status="x")
def a(ctx: Context[Task]) -> str:
    return f"Do it: {ctx.input.task}"


@wf.agent(status="x")
def b(ctx: Context[Task]) -> str:
    return f"Do it: {ctx.input.task}"


finish(wf)
