"""A prompt that takes nothing."""

from pydantic import BaseModel
from segue import Context, Workflow


class Task(BaseModel):
    task: str


wf = Workflow("sg118-none", start="a")


@wf.agent(status="x")
def a() -> str:  # SG118 a
    return "x"
