"""A compute that goes to the network."""

from pydantic import BaseModel
from segue import Context, Workflow
from urllib.request import urlopen


class Task(BaseModel):
    task: str


wf = Workflow("sg119-network", input=Task, start="a")


@wf.compute
def a(ctx: Context[Task]) -> str:
    return urlopen(ctx.input.task).read().decode()  # SG119 a
