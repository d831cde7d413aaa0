"""A field that comes from the base class."""

from typing import Literal

from pydantic import BaseModel
from segue import Context, Workflow


class Task(BaseModel):
    task: str


wf = Workflow("ok-inherited", input=Task, start="a")


class Base(BaseModel):
    route: Literal["x", "y"]


class More(Base):
    text: str


@wf.agent(output=More)
def a(ctx: Context[Task]) -> str:
    return f"Do it: {ctx.input.task}"


wf.switch(a, on="route", cases={"x": None, "y": None})
