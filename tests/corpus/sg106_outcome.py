"""There are three outcomes."""

from pydantic import BaseModel
from segue import OUTCOME, Context, Workflow


class Task(BaseModel):
    task: str


wf = Workflow("sg106-outcome", input=Task, start="a")


@wf.agent(status="x")
def a(ctx: Context[Task]) -> str:
    return f"Do it: {ctx.input.task}"


wf.switch(a, on=OUTCOME, cases={"ok": None, "failed": None, "timed_out": None, "done": None})  # SG106 done
