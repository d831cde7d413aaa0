"""Two workflows of one name."""

from pydantic import BaseModel
from segue import Context, Workflow


class Task(BaseModel):
    task: str


wf = Workflow("sg124-two", input=Task, start="a")


@wf.agent(status="x")
def a(ctx: Context[Task]) -> str:
    return f"Do it: {ctx.input.task}"


more = Workflow("sg124-two", start="b")  # SG124 sg124-two


@more.agent()
def b(ctx: Context[Task]) -> str:
    return "x"
