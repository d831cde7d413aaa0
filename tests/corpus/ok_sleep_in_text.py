"""Near miss of SG119: texts and comments call nothing."""

from pydantic import BaseModel
from segue import Context, Workflow
import time


class Task(BaseModel):
    task: str


wf = Workflow("ok-sleep-in-text", input=Task, start="a")


@wf.compute
def a(ctx: Context[Task]) -> str:
    return "time.sleep(1) " + ctx.input.task  # time.sleep(2)
