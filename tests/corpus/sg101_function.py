"""A function without its decorator."""

from pydantic import BaseModel
from segue import Context, Workflow


class Task(BaseModel):
    task: str


wf = Workflow("sg101-function", input=Task, start="a")


@wf.agent(status="x")
def a(ctx: Context[Task]) -> str:
    return f"Do it: {ctx.input.task}"


def b(ctx: Context[Task]) -> str:
    return "x"


wf.edge(a, b)  # SG101 b
