"""A choice that there is not."""

from pydantic import BaseModel
from segue import Context, Workflow


class Task(BaseModel):
    task: str


wf = Workflow("sg125-on-timeout", input=Task, start="a")


@wf.human_decision(choices=["go", "stop"], timeout=60, on_timeout="stopp")  # SG125 a
def a(ctx: Context[Task]) -> str:
    return f"Do it: {ctx.input.task}"


wf.switch(a, on="choice", cases={"go": None, "stop": None})
