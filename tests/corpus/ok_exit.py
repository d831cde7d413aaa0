"""An exit for others to include."""

from typing import Literal

from pydantic import BaseModel
from segue import Context, Workflow


class Task(BaseModel):
    task: str


class Verdict(BaseModel):
    route: Literal["clean", "issues_found"]
    reason: str


wf = Workflow("ok-exit", input=Task, start="a")


@wf.compute
def a(ctx: Context[Task]) -> Verdict:
    return Verdict(route="clean", reason=ctx.input.task)


done = wf.exit("done", a, output=Verdict)
