"""Plan a change and have a person agree to the plan; included by other workflows."""

from typing import Literal

from pydantic import Field

from segue import Context, Workflow
from segue.builtins._fields import Strict
from segue.builtins._plan import AnyPlan
from segue.builtins._planning import Blocked, Problem
from segue.builtins.autoplan import autoplan, blocked, ready
from segue.builtins.plan_approval import Proposal, go, plan_approval, replan, stop

REPLANS = 5
MAX_STEPS = 200


class Change(Problem):
    """What is to be planned, and who has to agree to the plan."""

    policy: Literal["auto", "required", "skip"] = Field(
        default="required", description="As for plan-approval."
    )


class Approved(Strict):
    """A plan to carry out."""

    instructions: str = Field(description="The user's own instructions: the authority.")
    plan: AnyPlan
    plan_digest: str
    provenance: Literal["human", "timeout", "policy"]
    text: str | None
    replans: int


class Stopped(Strict):
    """The plan is not carried out."""

    why: Literal["stopped", "replans_used_up"]
    text: str | None
    plan: AnyPlan
    plan_digest: str


class Again(Strict):
    """A plan that was sent back, and what the person said."""

    verdict: Literal["replan", "enough"]
    plan: AnyPlan
    plan_digest: str
    text: str
    number: int


plan_change = Workflow(
    "plan-change",
    input=Change,
    start="planning",
    max_steps=MAX_STEPS,
    title="Plan and approve a change",
    description="Plan a change and have a person agree to the plan.",
    mount_only=True,
    revision=1,
)


def _problem(ctx: Context[Change]) -> Problem:
    given, again = ctx.input, ctx.latest(sent_back, None)
    return Problem(
        problem=given.problem,
        scope=given.scope,
        constraints=given.constraints,
        previous_plan=given.previous_plan if again is None else again.plan,
        new_evidence=given.new_evidence if again is None else _words(again.text),
    )


def _words(text: str) -> str:
    return f"The person who decides on the previous plan sent it back with these words:\n{text}"


def _proposal(ctx: Context[Change]) -> Proposal:
    return Proposal(plan=ctx.output(planning.exit(ready)).plan, policy=ctx.input.policy)


planning = plan_change.include("planning", autoplan, input=_problem)
approval = plan_change.include("approval", plan_approval, input=_proposal)


@plan_change.compute
def sent_back(ctx: Context[Change]) -> Again:
    answer = ctx.output(approval.exit(replan))
    return Again(
        verdict="replan" if ctx.visit <= REPLANS else "enough",
        plan=answer.plan,
        plan_digest=answer.plan_digest,
        text=answer.text or "",
        number=ctx.visit,
    )


@plan_change.compute
def agreed(ctx: Context[Change]) -> Approved:
    answer = ctx.output(approval.exit(go))
    again = ctx.latest(sent_back, None)
    return Approved(
        instructions=ctx.output(planning.exit(ready)).instructions,
        plan=answer.plan,
        plan_digest=answer.plan_digest,
        provenance=answer.provenance,
        text=answer.text,
        replans=0 if again is None else again.number,
    )


@plan_change.compute
def given_up(ctx: Context[Change]) -> Stopped:
    answer = ctx.latest(approval.exit(stop), None)
    if answer is not None:
        return Stopped(
            why="stopped", text=answer.text, plan=answer.plan, plan_digest=answer.plan_digest
        )
    last = ctx.output(sent_back)
    return Stopped(
        why="replans_used_up", text=last.text, plan=last.plan, plan_digest=last.plan_digest
    )


@plan_change.compute
def no_way(ctx: Context[Change]) -> Blocked:
    return ctx.output(planning.exit(blocked))


plan_change.edge(planning.exit(ready), approval)
plan_change.edge(planning.exit(blocked), no_way)
plan_change.edge(approval.exit(go), agreed)
plan_change.edge(approval.exit(stop), given_up)
plan_change.edge(approval.exit(replan), sent_back)
plan_change.switch(sent_back, on="verdict", cases={"replan": planning, "enough": given_up})

approved = plan_change.exit("approved", agreed, output=Approved)
stopped = plan_change.exit("stopped", given_up, output=Stopped)
no_plan = plan_change.exit("blocked", no_way, output=Blocked)
