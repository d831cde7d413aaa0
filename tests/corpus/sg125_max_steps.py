"""A run of no steps."""

from pydantic import BaseModel
from segue import Context, Workflow


class Task(BaseModel):
    task: str


wf = Workflow("sg125-max-steps", input=Task, start="a", max_steps=0)  # SG125 max_steps


@wf.agent(status="x")
def a(ctx: Context[Task]) -> str:
    return f"Do it: {ctx.input.task}"
