"""A truth value without a case."""

from pydantic import BaseModel
from segue import Context, Workflow


class Task(BaseModel):
    task: str


wf = Workflow("sg105-bool", input=Task, start="a")


class Answer(BaseModel):
    good: bool


@wf.agent(output=Answer)
def a(ctx: Context[Task]) -> str:
    return f"Do it: {ctx.input.task}"


wf.switch(a, on="good", cases={True: None})  # SG105 False
