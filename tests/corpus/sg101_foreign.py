"""A node of another workflow."""

from pydantic import BaseModel
from segue import Context, Workflow
from ok_exit import a as ok_exit_node


class Task(BaseModel):
    task: str


wf = Workflow("sg101-foreign", input=Task, start="a")


@wf.compute
def a(ctx: Context[Task]) -> str:
    return ctx.input.task


wf.edge(a, ok_exit_node)  # SG101 ok_exit_node
