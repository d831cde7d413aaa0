"""A decorator without its parentheses."""

from pydantic import BaseModel
from segue import Context, Workflow


class Task(BaseModel):
    task: str


wf = Workflow("sg125-parentheses", input=Task, start="a")


@wf.agent  # SG125 a
def a(ctx: Context[Task]) -> str:
    return f"Do it: {ctx.input.task}"
