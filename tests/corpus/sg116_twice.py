"""A text that is over the ceiling only when it comes twice."""

from pydantic import BaseModel
from segue import Context, Workflow

GUIDE = "word " * 10_000


class Task(BaseModel):
    task: str


wf = Workflow("sg116-twice", input=Task, start="a")


@wf.agent(status="x")
def a(ctx: Context[Task]) -> str:  # SG116 a
    return f"{GUIDE} {GUIDE} {ctx.input.task}"
