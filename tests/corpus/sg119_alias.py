"""A compute that runs a command, under another name."""

from pydantic import BaseModel
from segue import Context, Workflow
import subprocess as sp


class Task(BaseModel):
    task: str


wf = Workflow("sg119-alias", input=Task, start="a")


@wf.compute
def a(ctx: Context[Task]) -> str:
    return sp.run(["ls"], text=True).stdout + ctx.input.task  # SG119 a
