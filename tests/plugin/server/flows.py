"""Workflows that tests of the server run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.kit import write_workflow

if TYPE_CHECKING:
    from pathlib import Path

REVIEW = """
class Task(BaseModel):
    task: str

class Verdict(BaseModel):
    route: Literal["clean", "issues_found"]
    reason: str

review = Workflow("review", input=Task, start="inspect")

@review.agent(output=Verdict, status="reviewing")
def inspect(ctx: Context[Task]) -> str:
    return f"Review {ctx.input.task}"

@review.agent(status="fixing")
def fix(ctx: Context[Task]) -> str:
    return "Fix " + ctx.output(inspect).reason

@review.compute
def done(ctx: Context[Task]) -> dict[str, str]:
    return {"why": ctx.output(inspect).reason}

review.switch(inspect, on="route", cases={"clean": done, "issues_found": fix})
review.edge(fix, inspect)
"""

APPROVE = """
approve = Workflow("approve", start="ask")

@approve.human_decision(choices=["yes", "no", "later"], text=["later"])
def ask(ctx: Context[Any]) -> str:
    return "Ship it?"

@approve.compute
def shipped(ctx: Context[Any]) -> dict[str, str]:
    return {"shipped": ctx.output(ask).choice}

@approve.compute
def not_shipped(ctx: Context[Any]) -> dict[str, str]:
    return {"shipped": "no"}

approve.switch(ask, on="choice", cases={"yes": shipped, "no": not_shipped, "later": not_shipped})
"""


def project(root: Path) -> Path:
    """Make a project with both workflows."""
    write_workflow(root, "review", REVIEW)
    write_workflow(root, "approve", APPROVE)
    return root
