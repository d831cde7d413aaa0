"""The answers that autoplan asks for, and the checks that need more than one of them."""

from collections import Counter
from collections.abc import Iterable
from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from segue.builtins._fields import Id, Line, Paragraph, Strict, Text, Title
from segue.builtins._plan import AnyPlan, Plan

PROBLEM_CHARS = 12_000
SCOPE_CHARS = 4_000
EVIDENCE_CHARS = 11_000
INSTRUCTIONS_CHARS = 8_000
POINTS = 10
CANDIDATES_LEAST, CANDIDATES_MOST = 2, 4
PARTS = 8
TRADE_OFFS = 6
COMPROMISES = 8
CHANGES = 10
REASON_LEAST, REASON_CHARS = 20, 400
IDEAL = "ideal"
IDEAL_TITLE = "Holy grail"

Instructions = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=INSTRUCTIONS_CHARS)
]
Reason = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=REASON_LEAST, max_length=REASON_CHARS),
]


class Problem(Strict):
    """What needs a plan."""

    problem: Annotated[str, StringConstraints(min_length=1, max_length=PROBLEM_CHARS)]
    scope: Annotated[str, StringConstraints(max_length=SCOPE_CHARS)] | None = None
    constraints: Annotated[str, StringConstraints(max_length=SCOPE_CHARS)] | None = None
    previous_plan: AnyPlan | None = Field(
        default=None, description="The plan that this one may replace."
    )
    new_evidence: Annotated[str, StringConstraints(max_length=EVIDENCE_CHARS)] | None = Field(
        default=None, description="What has become known since the previous plan."
    )


class Intent(Strict):
    """What the user asks for."""

    instructions: Instructions = Field(
        description="The user's own instructions in this matter, in their words."
    )


class Frame(Strict):
    """The problem, before anybody solves it."""

    problem: Text
    success_criteria: list[Line] = Field(min_length=1, max_length=POINTS)
    in_scope: list[Line] = Field(min_length=1, max_length=POINTS)
    out_of_scope: list[Line] = Field(default=[], max_length=POINTS)
    constraints: list[Line] = Field(default=[], max_length=POINTS)
    control_boundary: Text = Field(
        description="Which code, interfaces and settings are ours to change, and which are not."
    )


class Candidate(Strict):
    """One practical way to solve the problem."""

    id: Id
    title: Title
    gist: Line
    solution: Text
    rationale: Paragraph = Field(
        description="Why it solves the problem, and whether it is a long-term, elegant,"
        " production-ready solution."
    )
    parts: list[Line] = Field(min_length=1, max_length=PARTS)
    trade_offs: list[Line] = Field(min_length=1, max_length=TRADE_OFFS)

    @model_validator(mode="after")
    def _is_practical(self) -> Self:
        if self.id == IDEAL:
            raise ValueError(f"an id other than '{IDEAL}', which is kept for the ideal end state")
        return self


class Kept(Strict):
    """The previous plan is one of the candidates."""

    fate: Literal["candidate"]
    candidate_id: Id


class Dropped(Strict):
    """The previous plan is not pursued."""

    fate: Literal["rejected"]
    reason: Reason


class Solutions(Strict):
    """Practical candidates, and what became of the previous plan."""

    candidates: list[Candidate] = Field(min_length=CANDIDATES_LEAST, max_length=CANDIDATES_MOST)
    previous_plan: Kept | Dropped | None = Field(
        default=None, description="null where there is no previous plan."
    )

    @model_validator(mode="after")
    def _ids_are_used_well(self) -> Self:
        ids = [candidate.id for candidate in self.candidates]
        if doubled := _doubled(ids):
            raise ValueError(f"each id once; {doubled} is used twice")
        if isinstance(self.previous_plan, Kept) and self.previous_plan.candidate_id not in ids:
            raise ValueError(f"previous_plan.candidate_id is one of {', '.join(ids)}")
        return self


class HolyGrail(Strict):
    """The ideal end state."""

    id: Literal["ideal"] = "ideal"
    end_state: Text
    outside_dependencies: list[Line] = Field(
        default=[], max_length=PARTS, description="What it needs that we do not control."
    )
    additional_value: Paragraph = Field(description="What it gives that no candidate gives.")


class Rejection(Strict):
    id: Id
    reason: Reason


class Selection(Strict):
    """The choice, with a reason against every other candidate."""

    status: Literal["ready", "blocked"]
    selected_id: Id | None = None
    why: Paragraph
    relation_to_ideal: Paragraph
    rejected: list[Rejection] = Field(min_length=1, max_length=CANDIDATES_MOST + 1)
    compromises: list[Line] = Field(default=[], max_length=COMPROMISES)
    blocker: Paragraph | None = None

    @model_validator(mode="after")
    def _holds_together(self) -> Self:
        if self.status == "ready" and (self.selected_id is None or self.blocker is not None):
            raise ValueError("with status ready: a selected_id, and blocker null")
        if self.status == "blocked" and (self.selected_id is not None or self.blocker is None):
            raise ValueError("with status blocked: a blocker, and selected_id null")
        if doubled := _doubled(each.id for each in self.rejected):
            raise ValueError(f"each candidate rejected once; {doubled} is rejected twice")
        if doubled := _doubled(each.reason.casefold() for each in self.rejected):
            raise ValueError(f"a reason of its own for each candidate; twice: {doubled}")
        return self


class Planned(Strict):
    """The plan, and what in it differs from the previous one."""

    plan: Plan
    changes: list[Line] = Field(
        default=[],
        max_length=CHANGES,
        description="What differs from the previous plan; empty where nothing does, or there is"
        " none.",
    )


class Check(Strict):
    """What code found wrong with an answer, for the step that repairs it."""

    verdict: Literal["fits", "repair"]
    problems: list[str]


class SelectionCheck(Strict):
    """As `Check`; a selection that fits goes on as it says."""

    verdict: Literal["ready", "blocked", "repair"]
    problems: list[str]


class Ready(Strict):
    """A plan that can be carried out."""

    status: Literal["ready"] = "ready"
    instructions: str = Field(description="The user's own instructions: the authority.")
    selected_id: str
    why: str
    relation_to_ideal: str
    rejected: list[Rejection]
    compromises: list[str]
    plan: Plan
    plan_digest: str = Field(description="SHA-256 of the plan's canonical JSON.")
    changed: bool | None = Field(
        description="Whether the plan differs from the previous one; null where there was none."
    )
    changes: list[str]
    summary: str


class Blocked(Strict):
    """Why there is no plan."""

    status: Literal["blocked"] = "blocked"
    instructions: str = Field(description="The user's own instructions: the authority.")
    blocker: str
    why: str
    rejected: list[Rejection]
    summary: str


def solution_problems(solutions: Solutions, *, has_previous: bool) -> list[str]:
    """Say what is wrong with the candidates that only the input tells."""
    if has_previous and solutions.previous_plan is None:
        return ["previous_plan is null: say which candidate the previous plan is, or why none"]
    if not has_previous and solutions.previous_plan is not None:
        return ["previous_plan has to be null: there is no previous plan"]
    return []


def selection_problems(
    selection: Selection, candidates: list[Candidate], ideal: HolyGrail
) -> list[str]:
    """Say what is wrong with a selection that only the candidates tell."""
    known = [*(candidate.id for candidate in candidates), IDEAL]
    named = [each.id for each in selection.rejected]
    chosen = selection.selected_id
    found = []
    if chosen is not None and chosen not in known:
        found.append(f"selected_id '{chosen}' is no candidate: they are {', '.join(known)}")
    if chosen in named:
        found.append(f"'{chosen}' is selected and rejected: drop it from rejected")
    for each in known:
        if each != chosen and each not in named:
            found.append(f"rejected has no reason against '{each}'")
    for each in named:
        if each not in known:
            found.append(f"rejected names '{each}', which is no candidate")
    if chosen == IDEAL and ideal.outside_dependencies:
        found.append(
            f"'{IDEAL}' depends on what we do not control, so it cannot be selected: choose a"
            " candidate, or say that nothing in scope can meet the criteria"
        )
    return found


def _doubled(items: Iterable[str]) -> str:
    twice = [f"'{item}'" for item, count in Counter(items).items() if count > 1]
    return ", ".join(twice)
