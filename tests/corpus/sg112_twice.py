"""Two exits at one step."""

from typing import Literal

from pydantic import BaseModel
from segue import Context, Workflow


class Task(BaseModel):
    task: str


class Verdict(BaseModel):
    route: Literal["clean", "issues_found"]
    reason: str


wf = Workflow("sg112-twice", input=Task, start="a")


@wf.compute
def a(ctx: Context[Task]) -> Verdict:
    return Verdict(route="clean", reason=ctx.input.task)


one = wf.exit("one", a, output=Verdict)  # SG112 one
two = wf.exit("two", a, output=Verdict)  # SG112 two
