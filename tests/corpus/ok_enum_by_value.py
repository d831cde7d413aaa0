"""Near miss of SG106: an Enum's values stand for its members."""

from pydantic import BaseModel
from segue import Context, Workflow
from enum import StrEnum


class Task(BaseModel):
    task: str


wf = Workflow("ok-enum-by-value", input=Task, start="a")


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


class Pick(BaseModel):
    colour: Colour


@wf.agent(output=Pick)
def a(ctx: Context[Task]) -> str:
    return f"Do it: {ctx.input.task}"


@wf.agent(status="x")
def b(ctx: Context[Task]) -> str:
    return f"Do it: {ctx.input.task}"


wf.switch(a, on="colour", cases={"red": b, "blue": None})
