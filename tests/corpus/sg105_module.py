"""The model's file is imported as a whole."""

from pydantic import BaseModel
from segue import Context, Workflow
import _shared


class Task(BaseModel):
    task: str


wf = Workflow("sg105-module", input=Task, start="a")


@wf.agent(output=_shared.Pick)
def a(ctx: Context[Task]) -> str:
    return f"Do it: {ctx.input.task}"


wf.switch(a, on="route", cases={"x": None})  # SG105 y
