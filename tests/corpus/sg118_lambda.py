"""A setting's function takes the context too."""

from pydantic import BaseModel
from segue import Context, Workflow


class Task(BaseModel):
    task: str


wf = Workflow("sg118-lambda", start="a")


a = wf.wait("a", seconds=lambda: 5)  # SG118 a
