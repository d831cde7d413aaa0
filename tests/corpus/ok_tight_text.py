"""Near miss of SG120: the text has to be of some length."""

from pydantic import BaseModel
from segue import Context, Workflow
from pydantic import Field


class Task(BaseModel):
    task: str


wf = Workflow("ok-tight-text", input=Task, start="a")


class Plan(BaseModel):
    text: str = Field(min_length=20)


@wf.agent(output=Plan)
def a(ctx: Context[Task]) -> str:
    return f"Do it: {ctx.input.task}"


@wf.human_decision(choices=["go", "stop"])
def b(ctx: Context[Task]) -> str:
    return ctx.output(a).text


wf.edge(a, b)
