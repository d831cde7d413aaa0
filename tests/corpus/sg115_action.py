"""An action that does not say what a crash means."""

from pydantic import BaseModel
from segue import Context, Workflow


class Task(BaseModel):
    task: str


wf = Workflow("sg115-action", input=Task, start="a")


@wf.action(status="x")  # SG115 a
def a(ctx: Context[Task]) -> None:
    print(ctx.input.task)
