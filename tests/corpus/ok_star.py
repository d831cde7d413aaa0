"""A star import may bring any name."""

from pydantic import BaseModel
from segue import Context, Workflow
from elsewhere import *


class Task(BaseModel):
    task: str


wf = Workflow("ok-star", input=Task, start="a")


@wf.agent(status="x")
def a(ctx: Context[Task]) -> str:
    return f"Do it: {ctx.input.task}"


wf.edge(a, somewhere)
