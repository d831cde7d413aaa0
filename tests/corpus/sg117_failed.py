"""Reached only when the step has failed, so there is no output of it."""

from pydantic import BaseModel
from segue import Context, Workflow


class Task(BaseModel):
    task: str


wf = Workflow("sg117-failed", input=Task, start="a")


@wf.assistant()
def a(ctx: Context[Task]) -> str:
    return f"Do it: {ctx.input.task}"


@wf.agent(status="x")
def b(ctx: Context[Task]) -> str:
    return ctx.output(a)  # SG117 a


wf.edge(a, None)
wf.on_failure(a, b)
