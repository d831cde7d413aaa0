"""The outer loop asks a person, the inner one asks nobody."""

from typing import Literal

from pydantic import BaseModel
from segue import Context, Workflow


class Task(BaseModel):
    task: str


class Verdict(BaseModel):
    route: Literal["clean", "issues_found"]
    reason: str


wf = Workflow("sg114-inner", input=Task, start="a")


@wf.agent(output=Verdict)
def a(ctx: Context[Task]) -> str:  # SG114 a
    return f"Do it: {ctx.input.task}"


@wf.agent(status="x")
def b(ctx: Context[Task]) -> str:
    return ctx.output(a).reason


@wf.human_decision(choices=["again", "stop"])
def c(ctx: Context[Task]) -> str:
    return f"Do it: {ctx.input.task}"


wf.switch(a, on="route", cases={"clean": c, "issues_found": b})
wf.edge(b, a)
wf.switch(c, on="choice", cases={"again": a, "stop": None})
