"""Near miss of SG116: only a part of the long text is in the prompt."""

from pydantic import BaseModel
from segue import Context, Workflow

GUIDE = "x" * 200_000


class Task(BaseModel):
    task: str


wf = Workflow("ok-long-file", input=Task, start="a")


@wf.agent(status="x")
def a(ctx: Context[Task]) -> str:
    return GUIDE[:1000] + ctx.input.task
