"""Two outgoing edges."""

from pydantic import BaseModel
from segue import Context, Workflow


class Task(BaseModel):
    task: str


wf = Workflow("sg104-twice", input=Task, start="a")


@wf.agent(status="x")
def a(ctx: Context[Task]) -> str:
    return f"Do it: {ctx.input.task}"


@wf.agent(status="x")
def b(ctx: Context[Task]) -> str:
    return f"Do it: {ctx.input.task}"


@wf.agent(status="x")
def c(ctx: Context[Task]) -> str:
    return f"Do it: {ctx.input.task}"


wf.edge(a, b)
wf.edge(a, c)  # SG104 a
