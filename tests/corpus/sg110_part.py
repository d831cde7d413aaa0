"""A name with a blank."""

from pydantic import BaseModel
from segue import Context, Workflow


class Task(BaseModel):
    task: str


wf = Workflow("sg110-part", start="a b")


a = wf.wait("a b", seconds=1)  # SG110 a b
