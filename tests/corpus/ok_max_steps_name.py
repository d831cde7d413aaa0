"""A setting under a name of its own."""

from pydantic import BaseModel
from segue import Context, Workflow

MOST = 7


class Task(BaseModel):
    task: str


wf = Workflow("ok-max-steps-name", input=Task, start="a", max_steps=MOST)


@wf.agent(status="x")
def a(ctx: Context[Task]) -> str:
    return f"Do it: {ctx.input.task}"
