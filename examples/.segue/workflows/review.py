"""Review the current change, fix what the review finds, and review again until it is clean."""

from typing import Literal

from pydantic import BaseModel, Field

from segue import Context, Workflow


class Task(BaseModel):
    task: str = "whatever has changed since the last commit"


class Verdict(BaseModel):
    """What a review came to."""

    route: Literal["clean", "issues_found"]
    reason: str = Field(min_length=10, description="The issues, each with file and line.")


review = Workflow("review", input=Task, start="inspect", max_steps=20)


@review.agent(output=Verdict, status="reviewing the change")
def inspect(ctx: Context[Task]) -> str:
    again = "" if ctx.visit == 1 else f" This is review {ctx.visit}: look at the fixes first."
    return f"Review the current change for: {ctx.input.task}.{again}"


@review.agent(status="fixing")
def fix(ctx: Context[Task]) -> str:
    return f"Fix these issues and nothing else: {ctx.output(inspect).reason}"


@review.compute
def done(ctx: Context[Task]) -> dict[str, str]:
    return {"verdict": "clean", "why": ctx.output(inspect).reason}


review.switch(inspect, on="route", cases={"clean": done, "issues_found": fix})
review.edge(fix, inspect)
