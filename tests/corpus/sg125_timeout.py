"""A time limit below zero."""

from pydantic import BaseModel
from segue import Context, Workflow


class Task(BaseModel):
    task: str


wf = Workflow("sg125-timeout", input=Task, start="a")


@wf.agent(timeout=-1)  # SG125 a
def a(ctx: Context[Task]) -> str:
    return f"Do it: {ctx.input.task}"
