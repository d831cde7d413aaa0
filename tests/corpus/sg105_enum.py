"""An Enum's member without a case."""

from pydantic import BaseModel
from segue import Context, Workflow
from enum import Enum


class Task(BaseModel):
    task: str


wf = Workflow("sg105-enum", input=Task, start="a")


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Pick(BaseModel):
    colour: Colour


@wf.agent(output=Pick)
def a(ctx: Context[Task]) -> str:
    return f"Do it: {ctx.input.task}"


wf.switch(a, on="colour", cases={Colour.RED: None})  # SG105 blue
