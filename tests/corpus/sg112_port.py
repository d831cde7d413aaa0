"""An exit that the included workflow lacks."""

from pydantic import BaseModel
from segue import Context, Workflow
from ok_exit import wf as ok_exit


class Task(BaseModel):
    task: str


wf = Workflow("sg112-port", input=Task, start="inner")


inner = wf.include("inner", ok_exit, input=lambda ctx: ctx.input)


@wf.agent(status="x")
def b(ctx: Context[Task]) -> str:
    return f"Do it: {ctx.input.task}"


wf.edge(inner.exit("doen"), b)  # SG112 doen
