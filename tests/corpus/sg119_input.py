"""A compute that asks."""

from pydantic import BaseModel
from segue import Context, Workflow


class Task(BaseModel):
    task: str


wf = Workflow("sg119-input", input=Task, start="a")


@wf.compute
def a(ctx: Context[Task]) -> str:
    return input(ctx.input.task)  # SG119 a
