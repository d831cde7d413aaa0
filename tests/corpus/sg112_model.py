"""An exit that promises another model."""

from typing import Literal

from pydantic import BaseModel
from segue import Context, Workflow


class Task(BaseModel):
    task: str


class Verdict(BaseModel):
    route: Literal["clean", "issues_found"]
    reason: str


wf = Workflow("sg112-model", input=Task, start="a")


@wf.compute
def a(ctx: Context[Task]) -> Verdict:
    return Verdict(route="clean", reason=ctx.input.task)


wf.exit("done", a, output=Task)  # SG112 done
