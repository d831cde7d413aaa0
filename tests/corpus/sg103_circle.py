"""A circle without a way out."""

from pydantic import BaseModel
from segue import Context, Workflow


class Task(BaseModel):
    task: str


wf = Workflow("sg103-circle", input=Task, start="a")


@wf.agent(status="x")
def a(ctx: Context[Task]) -> str:  # SG103 a
    return f"{ctx.visit}{ctx.input.task}"


@wf.agent(status="x")
def b(ctx: Context[Task]) -> str:  # SG103 b
    return f"Do it: {ctx.input.task}"


wf.edge(a, b)
wf.edge(b, a)
