"""A switch on a field that any text fits."""

from pydantic import BaseModel
from segue import Context, Workflow


class Task(BaseModel):
    task: str


wf = Workflow("sg120-switch", input=Task, start="a")


class Free(BaseModel):
    route: str


@wf.agent(output=Free)
def a(ctx: Context[Task]) -> str:
    return f"Do it: {ctx.input.task}"


wf.switch(a, on="route", cases={"clean": None})  # SG120 a
