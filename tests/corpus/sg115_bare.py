"""An action without parentheses."""

from pydantic import BaseModel
from segue import Context, Workflow


class Task(BaseModel):
    task: str


wf = Workflow("sg115-bare", input=Task, start="a")


@wf.action  # SG115 a
def a(ctx: Context[Task]) -> None:
    print(ctx.input.task)
