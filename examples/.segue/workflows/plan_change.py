"""Draft a plan and have a person agree to it; included by others."""

from _models import Change, Plan
from pydantic import BaseModel
from segue import Context, Workflow


class Rejected(BaseModel):
    """Why there is no plan."""

    why: str


plan_change = Workflow("plan-change", input=Change, start="draft", mount_only=True)


@plan_change.agent(output=Plan, status="drafting a plan")
def draft(ctx: Context[Change]) -> str:
    last = ctx.latest(agree, None)
    wish = f" The person wants this changed: {last.text}" if last is not None else ""
    return f"Plan this change and change nothing yet: {ctx.input.task}.{wish}"


@plan_change.human_decision(choices=["go", "redo", "stop"], text=["redo", "stop"])
def agree(ctx: Context[Change]) -> str:
    plan = ctx.output(draft)
    return "\n".join([*plan.steps, f"Risk: {plan.risk}"])


@plan_change.compute
def agreed(ctx: Context[Change]) -> Plan:
    return ctx.output(draft)


@plan_change.compute
def rejected(ctx: Context[Change]) -> Rejected:
    return Rejected(why=ctx.output(agree).text or "no reason was given")


plan_change.edge(draft, agree)
plan_change.switch(agree, on="choice", cases={"go": agreed, "redo": draft, "stop": rejected})

go = plan_change.exit("go", agreed, output=Plan)
stop = plan_change.exit("stop", rejected, output=Rejected)
