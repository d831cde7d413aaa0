"""Two workflows that include each other."""

from pydantic import BaseModel
from segue import Context, Workflow
from sg113_one import wf as sg113_one


class Task(BaseModel):
    task: str


wf = Workflow("sg113-two", input=Task, start="one")


one = wf.include("one", sg113_one, input=lambda ctx: ctx.input)  # SG113 one
