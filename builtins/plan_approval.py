"""Ask a person whether a plan is carried out, changed or dropped."""

from typing import Literal

from pydantic import Field

from segue import Context, Workflow
from segue.builtins._fields import Strict
from segue.builtins._plan import AnyPlan, plan_digest, plan_text

AUTO_SECONDS = 600
PROMPT_BUDGET = 48_000


class Proposal(Strict):
    """A plan that wants a decision."""

    plan: AnyPlan
    policy: Literal["auto", "required", "skip"] = Field(
        default="required",
        description="`auto` continues after 10 minutes without an answer, `required` waits for"
        " one, `skip` does not ask.",
    )


class Approval(Strict):
    """What became of the plan, and who decided."""

    decision: Literal["continue", "stop", "replan"]
    provenance: Literal["human", "timeout", "policy"]
    text: str | None = Field(default=None, description="The person's own words, unchanged.")
    plan: AnyPlan
    plan_digest: str


class Policy(Strict):
    policy: Literal["auto", "required", "skip"]


plan_approval = Workflow(
    "plan-approval",
    input=Proposal,
    start="policy",
    title="Approve a plan",
    description="Ask a person: carry the plan out, change it, drop it?",
    revision=1,
)


@plan_approval.compute
def policy(ctx: Context[Proposal]) -> Policy:
    return Policy(policy=ctx.input.policy)


def _patience(ctx: Context[Proposal]) -> float | None:
    return AUTO_SECONDS if ctx.input.policy == "auto" else None


@plan_approval.human_decision(
    choices=["continue", "stop", "replan"],
    text=["replan"],
    timeout=_patience,
    on_timeout="continue",
    status="waiting for a decision on the plan",
)
def ask(ctx: Context[Proposal]) -> str:
    plan = ctx.input.plan
    minutes = AUTO_SECONDS // 60
    alone = (
        f"\n\nWithout an answer it continues in {minutes} minutes. Only you can stop or replan."
        if ctx.input.policy == "auto"
        else ""
    )
    return (
        f"Decide on this plan.\n\n{plan_text(plan)}\n\nPlan digest: {plan_digest(plan)}\n\n"
        "continue: it is carried out as it stands.\n"
        "stop: nothing of it is carried out.\n"
        "replan: say what has to change; your words are handed on exactly as you write them."
        f"{alone}"
    )


def _decided(ctx: Context[Proposal], decision: Literal["continue", "stop", "replan"]) -> Approval:
    answer = ctx.latest(ask, None)
    plan = ctx.input.plan
    return Approval(
        decision=decision,
        provenance="policy" if answer is None else answer.provenance,
        text=None if answer is None else answer.text,
        plan=plan,
        plan_digest=plan_digest(plan),
    )


@plan_approval.compute
def continued(ctx: Context[Proposal]) -> Approval:
    return _decided(ctx, "continue")


@plan_approval.compute
def stopped(ctx: Context[Proposal]) -> Approval:
    return _decided(ctx, "stop")


@plan_approval.compute
def sent_back(ctx: Context[Proposal]) -> Approval:
    return _decided(ctx, "replan")


plan_approval.switch(policy, on="policy", cases={"auto": ask, "required": ask, "skip": continued})
plan_approval.switch(
    ask, on="choice", cases={"continue": continued, "stop": stopped, "replan": sent_back}
)

go = plan_approval.exit("continue", continued, output=Approval)
stop = plan_approval.exit("stop", stopped, output=Approval)
replan = plan_approval.exit("replan", sent_back, output=Approval)
