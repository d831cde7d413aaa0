"""Two steps of one name."""

from pydantic import BaseModel
from segue import Context, Workflow


class Task(BaseModel):
    task: str


wf = Workflow("sg109-nodes", input=Task, start="a")


@wf.agent(status="x")
def a(ctx: Context[Task]) -> str:
    return f"Do it: {ctx.input.task}"


@wf.agent(status="x")
def a(ctx: Context[Task]) -> str:  # SG109 a
    return f"Do it: {ctx.input.task}"
