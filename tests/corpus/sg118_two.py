"""A prompt that takes more than the context."""

from pydantic import BaseModel
from segue import Context, Workflow


class Task(BaseModel):
    task: str


wf = Workflow("sg118-two", input=Task, start="a")


@wf.agent(status="x")
def a(ctx: Context[Task], more: str) -> str:  # SG118 a
    return ctx.input.task
