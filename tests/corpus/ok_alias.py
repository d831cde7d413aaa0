"""A Literal under a name of its own."""

from typing import Literal

from pydantic import BaseModel
from segue import Context, Workflow


class Task(BaseModel):
    task: str


wf = Workflow("ok-alias", input=Task, start="a")


Route = Literal["x", "y"]


class Pick(BaseModel):
    route: Route


@wf.agent(output=Pick)
def a(ctx: Context[Task]) -> str:
    return f"Do it: {ctx.input.task}"


wf.switch(a, on="route", cases={"x": None, "y": None})
