"""A mount is left by one of its exits."""

from pydantic import BaseModel
from segue import Context, Workflow
from ok_exit import wf as ok_exit


class Task(BaseModel):
    task: str


wf = Workflow("sg101-leave-mount", input=Task, start="inner")


inner = wf.include("inner", ok_exit, input=lambda ctx: ctx.input)


@wf.agent(status="x")
def b(ctx: Context[Task]) -> str:
    return f"Do it: {ctx.input.task}"


wf.edge(inner, b)  # SG101 inner
