"""A compute that sleeps by way of a helper."""

from pydantic import BaseModel
from segue import Context, Workflow
import time


class Task(BaseModel):
    task: str


wf = Workflow("sg119-helper", input=Task, start="a")


def nap() -> str:
    time.sleep(1)
    return "x"


@wf.compute
def a(ctx: Context[Task]) -> str:
    return nap() + ctx.input.task  # SG119 a
