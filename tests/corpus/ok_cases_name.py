"""Cases under a name of their own."""

from typing import Literal

from pydantic import BaseModel
from segue import Context, Workflow


class Task(BaseModel):
    task: str


class Verdict(BaseModel):
    route: Literal["clean", "issues_found"]
    reason: str


wf = Workflow("ok-cases-name", input=Task, start="a")


@wf.agent(output=Verdict)
def a(ctx: Context[Task]) -> str:
    return f"Do it: {ctx.input.task}"


@wf.agent(status="x")
def b(ctx: Context[Task]) -> str:
    return f"Do it: {ctx.input.task}"


CASES = {"clean": b, "issues_found": None}
wf.switch(a, on="route", cases=CASES)
