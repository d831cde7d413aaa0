"""A model of another package: what text cannot settle silences the rules on it."""

from pydantic import BaseModel
from segue import Context, Workflow
from elsewhere import imported


class Task(BaseModel):
    task: str


wf = Workflow("ok-unknown-model", input=Task, start="a")


@wf.agent(output=imported)
def a(ctx: Context[Task]) -> str:
    return f"Do it: {ctx.input.task}"


wf.switch(a, on="anything", cases={"x": None})
