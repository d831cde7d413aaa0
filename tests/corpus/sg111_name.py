"""A workflow that is not named as its file."""

from pydantic import BaseModel
from segue import Context, Workflow


class Task(BaseModel):
    task: str


wf = Workflow("something-else", input=Task, start="a")  # SG111 something-else


@wf.agent(status="x")
def a(ctx: Context[Task]) -> str:
    return f"Do it: {ctx.input.task}"
