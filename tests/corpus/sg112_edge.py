"""An exit that has an edge."""

from typing import Literal

from pydantic import BaseModel
from segue import Context, Workflow


class Task(BaseModel):
    task: str


class Verdict(BaseModel):
    route: Literal["clean", "issues_found"]
    reason: str


wf = Workflow("sg112-edge", input=Task, start="a")


@wf.compute
def a(ctx: Context[Task]) -> Verdict:
    return Verdict(route="clean", reason=ctx.input.task)


@wf.agent(status="x")
def b(ctx: Context[Task]) -> str:
    return ctx.output(a).reason


wf.edge(a, b)
wf.exit("done", a, output=Verdict)  # SG112 done
