"""A switch on the output of a mount's exit, which is named as a text."""

from pydantic import BaseModel
from segue import Context, Workflow
from ok_exit import wf as ok_exit


class Task(BaseModel):
    task: str


wf = Workflow("ok-include-text", input=Task, start="inner")


inner = wf.include("inner", ok_exit, input=lambda ctx: ctx.input)


@wf.agent(status="x")
def b(ctx: Context[Task]) -> str:
    return ctx.output(inner.exit("done")).reason


wf.switch(inner.exit("done"), on="route", cases={"clean": b, "issues_found": None})
