"""A compute that sleeps."""

from pydantic import BaseModel
from segue import Context, Workflow
import time


class Task(BaseModel):
    task: str


wf = Workflow("sg119-sleep", input=Task, start="a")


@wf.compute
def a(ctx: Context[Task]) -> str:
    time.sleep(1)  # SG119 a
    return ctx.input.task
