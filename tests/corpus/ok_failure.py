"""Near miss of SG104: a failure route beside a switch on a field."""

from typing import Literal

from pydantic import BaseModel
from segue import Context, Workflow


class Task(BaseModel):
    task: str


class Verdict(BaseModel):
    route: Literal["clean", "issues_found"]
    reason: str


wf = Workflow("ok-failure", input=Task, start="a")


@wf.agent(output=Verdict)
def a(ctx: Context[Task]) -> str:
    return f"Do it: {ctx.input.task}"


@wf.agent(status="x")
def b(ctx: Context[Task]) -> str:
    return f"Do it: {ctx.input.task}"


wf.switch(a, on="route", cases={"clean": None, "issues_found": None})
wf.on_failure(a, b)
