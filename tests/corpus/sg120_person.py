"""A person decides on what any placeholder fits."""

from pydantic import BaseModel
from segue import Context, Workflow


class Task(BaseModel):
    task: str


wf = Workflow("sg120-person", input=Task, start="a")


class Plan(BaseModel):
    text: str


@wf.agent(output=Plan)
def a(ctx: Context[Task]) -> str:  # SG120 a
    return f"Do it: {ctx.input.task}"


@wf.human_decision(choices=["go", "stop"])
def b(ctx: Context[Task]) -> str:
    return ctx.output(a).text


wf.edge(a, b)
