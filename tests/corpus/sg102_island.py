"""Two steps that lead nowhere near the start."""

from pydantic import BaseModel
from segue import Context, Workflow


class Task(BaseModel):
    task: str


wf = Workflow("sg102-island", input=Task, start="a")


@wf.agent(status="x")
def a(ctx: Context[Task]) -> str:
    return f"Do it: {ctx.input.task}"


@wf.agent(status="x")
def b(ctx: Context[Task]) -> str:  # SG102 b
    return f"Do it: {ctx.input.task}"


@wf.agent(status="x")
def c(ctx: Context[Task]) -> str:  # SG102 c
    return str(ctx.visit)


wf.edge(b, c)
