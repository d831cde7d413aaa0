"""Two workflows that include each other."""

from pydantic import BaseModel
from segue import Context, Workflow
from sg113_two import wf as sg113_two


class Task(BaseModel):
    task: str


wf = Workflow("sg113-one", input=Task, start="two")


two = wf.include("two", sg113_two, input=lambda ctx: ctx.input)  # SG113 two
