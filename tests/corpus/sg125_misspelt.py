"""A setting that there is not."""

from pydantic import BaseModel
from segue import Context, Workflow


class Task(BaseModel):
    task: str


wf = Workflow("sg125-misspelt", input=Task, start="a")


@wf.agent(statsu="x")  # SG125 a
def a(ctx: Context[Task]) -> str:
    return f"Do it: {ctx.input.task}"
