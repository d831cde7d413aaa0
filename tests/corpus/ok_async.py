"""Near miss of SG118: a second parameter with a default."""

from pydantic import BaseModel
from segue import Context, Workflow


class Task(BaseModel):
    task: str


wf = Workflow("ok-async", input=Task, start="a")


class Answer(BaseModel):
    good: bool


@wf.agent(output=Answer)
async def a(ctx: Context[Task], verbose: bool = False) -> str:
    return ctx.input.task


wf.switch(a, on="good", cases={True: None, False: None})
