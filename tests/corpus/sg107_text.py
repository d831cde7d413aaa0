"""A text has no fields."""

from pydantic import BaseModel
from segue import Context, Workflow


class Task(BaseModel):
    task: str


wf = Workflow("sg107-text", input=Task, start="a")


@wf.assistant()
def a(ctx: Context[Task]) -> str:
    return f"Do it: {ctx.input.task}"


wf.switch(a, on="route", cases={"x": None})  # SG107 route
