"""A second workflow of another name, included by the first."""

from pydantic import BaseModel
from segue import Context, Workflow


class Task(BaseModel):
    task: str


wf = Workflow("ok-two", input=Task, start="a")


@wf.agent(status="x")
def a(ctx: Context[Task]) -> str:
    return f"Do it: {ctx.input.task}"


small = Workflow("small", start="b")


@small.agent()
def b(ctx: Context[Task]) -> str:
    return "x"


inner = wf.include("inner", small)
wf.edge(a, inner)
