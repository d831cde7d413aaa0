"""Near miss of SG119: an action may wait."""

from pydantic import BaseModel
from segue import Context, Workflow
import time


class Task(BaseModel):
    task: str


wf = Workflow("ok-sleep-elsewhere", input=Task, start="a")


@wf.action(effect="manual")
def a(ctx: Context[Task]) -> None:
    time.sleep(len(ctx.input.task))
