"""Names that only type checkers see."""

from pydantic import BaseModel
from segue import Context, Workflow
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from elsewhere import Thing


class Task(BaseModel):
    task: str


wf = Workflow("ok-typing-only", input=Task, start="a")


@wf.agent(status="x")
def a(ctx: Context[Task]) -> str:
    return f"Do it: {ctx.input.task}"
