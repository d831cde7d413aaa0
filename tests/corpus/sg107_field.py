"""A field that the output lacks."""

from typing import Literal

from pydantic import BaseModel
from segue import Context, Workflow


class Task(BaseModel):
    task: str


class Verdict(BaseModel):
    route: Literal["clean", "issues_found"]
    reason: str


wf = Workflow("sg107-field", input=Task, start="a")


@wf.agent(output=Verdict)
def a(ctx: Context[Task]) -> str:
    return f"Do it: {ctx.input.task}"


wf.switch(a, on="rout", cases={"clean": None, "issues_found": None})  # SG107 rout
