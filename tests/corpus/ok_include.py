"""Another file's workflow, entered at the start and left by its exit."""

from pydantic import BaseModel
from segue import Context, Workflow
from ok_exit import done
from ok_exit import wf as ok_exit


class Task(BaseModel):
    task: str


wf = Workflow("ok-include", input=Task, start="inner")


inner = wf.include("inner", ok_exit, input=lambda ctx: ctx.input)


@wf.agent(status="x")
def b(ctx: Context[Task]) -> str:
    return ctx.output(inner.exit(done)).reason


wf.edge(inner.exit(done), b)
