"""A base class of another package may bring any field."""

from pydantic import BaseModel
from segue import Context, Workflow
import elsewhere


class Task(BaseModel):
    task: str


wf = Workflow("ok-unknown-base", input=Task, start="a")


class Odd(elsewhere.Base):
    text: str


@wf.agent(output=Odd)
def a(ctx: Context[Task]) -> str:
    return f"Do it: {ctx.input.task}"


wf.switch(a, on="route", cases={"x": None})
