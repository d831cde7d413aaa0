"""A fixed text over the ceiling."""

from pydantic import BaseModel
from segue import Context, Workflow

GUIDE = "x" * 96_001


class Task(BaseModel):
    task: str


wf = Workflow("sg116-literal", input=Task, start="a")


@wf.agent(status="x")
def a(ctx: Context[Task]) -> str:  # SG116 a
    return GUIDE + ctx.input.task
