"""What `segue new` writes: small, right, and rehearsed as it stands."""

from __future__ import annotations

import json
from typing import Final

_WORKFLOW: Final = '''"""Review a change, fix what is found, and look again."""

from typing import Literal

from pydantic import BaseModel

from segue import Context, Workflow


class Task(BaseModel):
    task: str


class Verdict(BaseModel):
    route: Literal["clean", "issues_found"]
    reason: str


workflow = Workflow("NAME", input=Task, start="inspect", max_steps=20)


@workflow.agent(output=Verdict, status="reviewing")
def inspect(ctx: Context[Task]) -> str:
    again = "" if ctx.visit == 1 else " What you found last is said to be fixed."
    return f"Review the current change for: {ctx.input.task}.{again}"


@workflow.agent(status="fixing")
def fix(ctx: Context[Task]) -> str:
    return f"Fix what the review found: {ctx.output(inspect).reason}"


@workflow.compute
def done(ctx: Context[Task]) -> dict[str, str]:
    return {"task": ctx.input.task, "verdict": ctx.output(inspect).reason}


# Where each step leads. A node without an edge ends the run.
workflow.switch(inspect, on="route", cases={"clean": done, "issues_found": fix})
workflow.edge(fix, inspect)
'''
_ANSWERS: Final = {
    "inspect": [
        {"route": "issues_found", "reason": "the form accepts an empty password"},
        {"route": "clean", "reason": "an empty password is refused, and a test holds it"},
    ],
    "fix": [None],
}


def workflow(name: str) -> str:
    """Give the text of a new workflow's module."""
    return _WORKFLOW.replace("NAME", name)


def answers() -> str:
    """Give answers that lead a new workflow through its loop and to its end."""
    return json.dumps(_ANSWERS, indent=2) + "\n"
