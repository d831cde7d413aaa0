"""All three outcomes have their case."""

from pydantic import BaseModel
from segue import OUTCOME, Context, Workflow


class Task(BaseModel):
    task: str


wf = Workflow("ok-outcome", input=Task, start="a")


@wf.agent(status="x")
def a(ctx: Context[Task]) -> str:
    return f"Do it: {ctx.input.task}"


@wf.agent(status="x")
def b(ctx: Context[Task]) -> str:
    return f"Do it: {ctx.input.task}"


wf.switch(a, on=OUTCOME, cases={"ok": b, "failed": None, "timed_out": None})
