"""A loop that only max_steps ends."""

from typing import Literal

from pydantic import BaseModel
from segue import Context, Workflow


class Task(BaseModel):
    task: str


class Verdict(BaseModel):
    route: Literal["clean", "issues_found"]
    reason: str


wf = Workflow("sg114-loop", input=Task, start="a")


@wf.agent(output=Verdict)
def a(ctx: Context[Task]) -> str:  # SG114 a
    return f"Do it: {ctx.input.task}"


@wf.agent(status="x")
def b(ctx: Context[Task]) -> str:
    return ctx.output(a).reason


wf.switch(a, on="route", cases={"clean": None, "issues_found": b})
wf.edge(b, a)
