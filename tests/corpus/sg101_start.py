"""A start that is no node."""

from pydantic import BaseModel
from segue import Context, Workflow


class Task(BaseModel):
    task: str


wf = Workflow("sg101-start", input=Task, start="begin")  # SG101 begin


@wf.agent(status="x")
def a(ctx: Context[Task]) -> str:
    return f"Do it: {ctx.input.task}"
