"""Near miss of SG118 and SG123: a context without a name."""

from pydantic import BaseModel
from segue import Context, Workflow


class Task(BaseModel):
    task: str


wf = Workflow("ok-star-args", input=Task, start="a")


@wf.compute
def a(*given: Context[Task]) -> str:
    return given[0].input.task
