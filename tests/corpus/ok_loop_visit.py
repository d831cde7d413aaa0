"""Near miss of SG114: the loop reads ctx.visit."""

from typing import Literal

from pydantic import BaseModel
from segue import Context, Workflow


class Task(BaseModel):
    task: str


class Verdict(BaseModel):
    route: Literal["clean", "issues_found"]
    reason: str


wf = Workflow("ok-loop-visit", input=Task, start="a")


@wf.agent(output=Verdict)
def a(ctx: Context[Task]) -> str:
    return f"Try {ctx.visit}: {ctx.input.task}"


@wf.agent(status="x")
def b(ctx: Context[Task]) -> str:
    return f"Do it: {ctx.input.task}"


wf.switch(a, on="route", cases={"clean": None, "issues_found": b})
wf.edge(b, a)
