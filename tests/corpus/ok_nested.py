"""A path through a model inside a model."""

from typing import Literal

from pydantic import BaseModel
from segue import Context, Workflow


class Task(BaseModel):
    task: str


wf = Workflow("ok-nested", input=Task, start="a")


class Inner(BaseModel):
    route: Literal["x", "y"]


class Outer(BaseModel):
    inner: Inner


@wf.agent(output=Outer)
def a(ctx: Context[Task]) -> str:
    return f"Do it: {ctx.input.task}"


wf.switch(a, on="inner.route", cases={"x": None, "y": None})
