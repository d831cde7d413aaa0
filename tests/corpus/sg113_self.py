"""A workflow that includes itself."""

from pydantic import BaseModel
from segue import Context, Workflow


class Task(BaseModel):
    task: str


wf = Workflow("sg113-self", input=Task, start="me")


me = wf.include("me", wf, input=lambda ctx: ctx.input)  # SG113 me
