"""A choice without a case."""

from pydantic import BaseModel
from segue import Context, Workflow


class Task(BaseModel):
    task: str


wf = Workflow("sg105-decision", input=Task, start="a")


@wf.decision(choices=["x", "y"])
def a(ctx: Context[Task]) -> str:
    return f"Do it: {ctx.input.task}"


wf.switch(a, on="choice", cases={"x": None})  # SG105 y
