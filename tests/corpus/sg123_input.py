"""An input that nobody reads."""

from pydantic import BaseModel
from segue import Context, Workflow


class Task(BaseModel):
    task: str


wf = Workflow("sg123-input", input=Task, start="a")  # SG123 sg123-input


@wf.agent(status="x")
def a(ctx: Context[Task]) -> str:
    return "Do it"
