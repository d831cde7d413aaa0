"""An effect that is neither of the two."""

from pydantic import BaseModel
from segue import Context, Workflow


class Task(BaseModel):
    task: str


wf = Workflow("sg115-value", input=Task, start="a")


@wf.shell(effect="idempotant")  # SG115 a
def a(ctx: Context[Task]) -> list[str]:
    return ["echo", ctx.input.task]
