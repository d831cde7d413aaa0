"""A field that may be None has a case for it."""

from typing import Literal

from pydantic import BaseModel
from segue import Context, Workflow


class Task(BaseModel):
    task: str


wf = Workflow("ok-optional", input=Task, start="a")


class Maybe(BaseModel):
    route: Literal["x"] | None = None


@wf.agent(output=Maybe)
def a(ctx: Context[Task]) -> str:
    return f"Do it: {ctx.input.task}"


wf.switch(a, on="route", cases={"x": None, None: None})
