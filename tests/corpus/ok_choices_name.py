"""Choices under a name of their own."""

from pydantic import BaseModel
from segue import Context, Workflow


class Task(BaseModel):
    task: str


wf = Workflow("ok-choices-name", input=Task, start="a")


CHOICES = ["x", "y"]


@wf.decision(choices=CHOICES)
def a(ctx: Context[Task]) -> str:
    return f"Do it: {ctx.input.task}"


wf.switch(a, on="choice", cases={"x": None, "y": None})
