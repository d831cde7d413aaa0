"""A target that nothing binds."""

from pydantic import BaseModel
from segue import Context, Workflow


class Task(BaseModel):
    task: str


wf = Workflow("sg101-name", input=Task, start="a")


@wf.agent(status="x")
def a(ctx: Context[Task]) -> str:
    return f"Do it: {ctx.input.task}"


@wf.agent(status="x")
def inspect(ctx: Context[Task]) -> str:
    return f"Do it: {ctx.input.task}"


wf.edge(a, inspekt)  # SG101 inspekt
