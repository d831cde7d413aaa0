"""A plan as the built-ins hand it on: its model, its digest, and how a person reads it."""

import hashlib
import json
from typing import Annotated

from pydantic import BeforeValidator, Field, StringConstraints

from segue.builtins._fields import Id, Line, Paragraph, Strict, Title, bullets

STEPS = 16
DONE_CHARS = 400
POINTS = 10
PLAN_CHARS = 40_000
"""A plan given as text. One made by autoplan stays under it by its own fields' limits."""
DIGEST_CHARS = 64


class Step(Strict):
    """One step of a plan."""

    id: Id
    title: Title
    work: Paragraph = Field(description="What is done, and where: files, interfaces, data.")
    done_when: Annotated[
        str, StringConstraints(strip_whitespace=True, min_length=10, max_length=DONE_CHARS)
    ] = Field(description="How somebody else can tell that the step is finished.")


class Plan(Strict):
    """Work in the order in which it is done."""

    title: Title
    goal: Paragraph = Field(description="What is true once all is done.")
    steps: list[Step] = Field(min_length=1, max_length=STEPS)
    verification: list[Line] = Field(
        min_length=1,
        max_length=POINTS,
        description="What shows that each success criterion is met.",
    )
    risks: list[Line] = Field(
        default=[], max_length=POINTS, description="What may go wrong, and how it would be seen."
    )
    out_of_scope: list[Line] = Field(default=[], max_length=POINTS)


def _as_plan(value: object) -> object:
    """Read a plan that came as JSON text, which keeps its digest."""
    if isinstance(value, str) and value.lstrip().startswith("{"):
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value


PlanText = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=10, max_length=PLAN_CHARS)
]
AnyPlan = Annotated[Plan | PlanText, BeforeValidator(_as_plan)]
"""A plan as autoplan makes it (an object, or the same as JSON text), or any text."""


def plan_digest(plan: Plan | str) -> str:
    """Give the SHA-256 of a plan's canonical JSON: keys sorted, no spaces, UTF-8."""
    value = plan if isinstance(plan, str) else plan.model_dump(mode="json")
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def plan_text(plan: Plan | str) -> str:
    """Give all of a plan, to be read."""
    if isinstance(plan, str):
        return plan
    steps = [
        f"{number}. {step.title} ({step.id})\n   {step.work}\n   Done when: {step.done_when}"
        for number, step in enumerate(plan.steps, 1)
    ]
    return "\n\n".join(
        [
            f"{plan.title}\n\n{plan.goal}",
            "\n".join(steps),
            f"Verification:\n{bullets(plan.verification)}",
            f"Risks:\n{bullets(plan.risks)}",
            f"Out of scope:\n{bullets(plan.out_of_scope)}",
        ]
    )
