"""Near miss of SG117: ctx.latest is for what may not exist."""

from pydantic import BaseModel
from segue import Context, Workflow


class Task(BaseModel):
    task: str


wf = Workflow("ok-latest", input=Task, start="a")


@wf.agent(status="x")
def a(ctx: Context[Task]) -> str:
    return ctx.latest(b, "nothing yet") + ctx.input.task


@wf.assistant()
def b(ctx: Context[Task]) -> str:
    return f"Do it: {ctx.input.task}"


wf.edge(a, b)
