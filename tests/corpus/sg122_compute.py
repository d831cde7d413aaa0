"""A computed value that nobody reads."""

from pydantic import BaseModel
from segue import Context, Workflow


class Task(BaseModel):
    task: str


wf = Workflow("sg122-compute", input=Task, start="a")


@wf.compute
def a(ctx: Context[Task]) -> dict[str, str]:  # SG122 a
    return {"x": ctx.input.task}


@wf.agent(status="x")
def b(ctx: Context[Task]) -> str:
    return f"Do it: {ctx.input.task}"


wf.edge(a, b)
