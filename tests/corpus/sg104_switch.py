"""An edge and a switch."""

from typing import Literal

from pydantic import BaseModel
from segue import Context, Workflow


class Task(BaseModel):
    task: str


class Verdict(BaseModel):
    route: Literal["clean", "issues_found"]
    reason: str


wf = Workflow("sg104-switch", input=Task, start="a")


@wf.agent(output=Verdict)
def a(ctx: Context[Task]) -> str:
    return f"Do it: {ctx.input.task}"


@wf.agent(status="x")
def b(ctx: Context[Task]) -> str:
    return f"Do it: {ctx.input.task}"


wf.edge(a, b)
wf.switch(a, on="route", cases={"clean": b, "issues_found": None})  # SG104 a
