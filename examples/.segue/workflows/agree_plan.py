"""Draft a plan and have a person agree to it; included by others."""

from _models import Change, Plan
from pydantic import BaseModel

from segue import Context, Workflow


class Rejected(BaseModel):
    """Why there is no plan."""

    why: str


agree_plan = Workflow("agree-plan", input=Change, start="draft", mount_only=True)


@agree_plan.agent(output=Plan, status="drafting a plan")
def draft(ctx: Context[Change]) -> str:
    last = ctx.latest(agree, None)
    wish = f" The person wants this changed: {last.text}" if last is not None else ""
    return f"Plan this change and change nothing yet: {ctx.input.task}.{wish}"


@agree_plan.human_decision(choices=["go", "redo", "stop"], text=["redo", "stop"])
def agree(ctx: Context[Change]) -> str:
    plan = ctx.output(draft)
    return "\n".join([*plan.steps, f"Risk: {plan.risk}"])


@agree_plan.compute
def agreed(ctx: Context[Change]) -> Plan:
    return ctx.output(draft)


@agree_plan.compute
def rejected(ctx: Context[Change]) -> Rejected:
    return Rejected(why=ctx.output(agree).text or "no reason was given")


agree_plan.edge(draft, agree)
agree_plan.switch(agree, on="choice", cases={"go": agreed, "redo": draft, "stop": rejected})

go = agree_plan.exit("go", agreed, output=Plan)
stop = agree_plan.exit("stop", rejected, output=Rejected)
