"""Every member of an Enum has its case."""

from pydantic import BaseModel
from segue import Context, Workflow
from enum import StrEnum, auto


class Task(BaseModel):
    task: str


wf = Workflow("ok-enum", input=Task, start="a")


class Colour(StrEnum):
    RED = "red"
    BLUE = auto()


class Pick(BaseModel):
    colour: Colour


@wf.agent(output=Pick)
def a(ctx: Context[Task]) -> str:
    return f"Do it: {ctx.input.task}"


@wf.agent(status="x")
def b(ctx: Context[Task]) -> str:
    return f"Do it: {ctx.input.task}"


wf.switch(a, on="colour", cases={Colour.RED: b, Colour.BLUE: None})
