"""An action and a command that say what a crash means."""

from pydantic import BaseModel
from segue import Context, Workflow


class Task(BaseModel):
    task: str


wf = Workflow("ok-effects", input=Task, start="a")


@wf.action(effect="idempotent")
def a(ctx: Context[Task]) -> None:
    print(ctx.effect_key, ctx.input.task)


@wf.shell(effect="manual")
def b(ctx: Context[Task]) -> list[str]:
    return ["true"]


wf.edge(a, b)
