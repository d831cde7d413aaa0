"""Near miss of SG114: the loop waits."""

from typing import Literal

from pydantic import BaseModel
from segue import Context, Workflow


class Task(BaseModel):
    task: str


class Verdict(BaseModel):
    route: Literal["clean", "issues_found"]
    reason: str


wf = Workflow("ok-loop-wait", input=Task, start="a")


@wf.agent(output=Verdict)
def a(ctx: Context[Task]) -> str:
    return f"Do it: {ctx.input.task}"


pause = wf.wait("pause", seconds=60)
wf.switch(a, on="route", cases={"clean": None, "issues_found": pause})
wf.edge(pause, a)
