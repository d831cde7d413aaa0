"""The model is in a file beside this one."""

from pydantic import BaseModel
from segue import Context, Workflow
from _shared import Pick


class Task(BaseModel):
    task: str


wf = Workflow("sg105-neighbour", input=Task, start="a")


@wf.agent(output=Pick)
def a(ctx: Context[Task]) -> str:
    return f"Do it: {ctx.input.task}"


wf.switch(a, on="route", cases={"x": None})  # SG105 y
