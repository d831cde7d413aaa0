"""Another name for the same workflow."""

from pydantic import BaseModel
from segue import Context, Workflow


class Task(BaseModel):
    task: str


wf = Workflow("ok-aliases", input=Task, start="a")


@wf.agent(status="x")
def a(ctx: Context[Task]) -> str:
    return f"Do it: {ctx.input.task}"


@wf.agent(status="x")
def b(ctx: Context[Task]) -> str:
    return f"Do it: {ctx.input.task}"


flow = wf
flow.edge(a, b)
