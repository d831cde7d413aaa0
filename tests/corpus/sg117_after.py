"""A step reads what comes after it."""

from pydantic import BaseModel
from segue import Context, Workflow


class Task(BaseModel):
    task: str


wf = Workflow("sg117-after", input=Task, start="a")


@wf.agent(status="x")
def a(ctx: Context[Task]) -> str:
    return ctx.output(b)  # SG117 b


@wf.assistant()
def b(ctx: Context[Task]) -> str:
    return f"Do it: {ctx.input.task}"


wf.edge(a, b)
