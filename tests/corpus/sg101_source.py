"""An edge starts at a handle."""

from pydantic import BaseModel
from segue import Context, Workflow


class Task(BaseModel):
    task: str


wf = Workflow("sg101-source", input=Task, start="a")


@wf.agent(status="x")
def a(ctx: Context[Task]) -> str:
    return f"Do it: {ctx.input.task}"


b = wf.wait("b", seconds=1)
wf.edge("a", b)  # SG101 a
