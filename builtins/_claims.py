"""The claims that a sanity check makes and verifies, and what a verdict on them has to rest on."""

from collections import Counter
from typing import Annotated, Literal, Self, get_args

from pydantic import Field, StringConstraints, model_validator

from segue.builtins._fields import Id, Line, Paragraph, Strict, Text

PLACE_CHARS = 300
QUOTE_CHARS = 400
CLAIMS = 12
CITATIONS = 3
STEPS = 8

Aspect = Literal["necessity", "duplication", "contracts", "scope", "tests"]
Verdict = Literal["keep", "simplify", "refactor", "drop", "needs_evidence"]
_LESS: tuple[Verdict, ...] = ("simplify", "refactor", "drop")


class Citation(Strict):
    where: Annotated[
        str, StringConstraints(strip_whitespace=True, min_length=3, max_length=PLACE_CHARS)
    ] = Field(description="A file and line, a commit, or a command that you ran.")
    quote: Annotated[
        str, StringConstraints(strip_whitespace=True, min_length=1, max_length=QUOTE_CHARS)
    ] = Field(description="What stands there, word for word.")


class Claim(Strict):
    """One thing that is so, for the change or against it."""

    id: Id
    aspect: Aspect
    stance: Literal["for", "against"]
    claim: Paragraph
    evidence: list[Citation] = Field(min_length=1, max_length=CITATIONS)


class Review(Strict):
    """What speaks against the change, and the strongest case for it."""

    change: Text = Field(description="What the change does, and what for.")
    strongest_case_for: Text
    claims: list[Claim] = Field(min_length=len(get_args(Aspect)), max_length=CLAIMS)

    @model_validator(mode="after")
    def _covers_everything(self) -> Self:
        twice = [i for i, count in Counter(claim.id for claim in self.claims).items() if count > 1]
        if twice:
            raise ValueError(f"each claim with an id of its own; twice: {', '.join(twice)}")
        seen = {claim.aspect for claim in self.claims}
        left = [aspect for aspect in get_args(Aspect) if aspect not in seen]
        if left:
            raise ValueError(f"a claim on each aspect; none on: {', '.join(left)}")
        return self


class Checked(Strict):
    id: Id
    result: Literal["confirmed", "refuted", "unproven"]
    how: Paragraph = Field(description="What you looked at to find out, and what it showed.")


class Judgement(Strict):
    """The claims, verified, and what follows from them."""

    checked: list[Checked] = Field(min_length=1, max_length=CLAIMS)
    verdict: Verdict
    why: Paragraph
    rests_on: list[Id] = Field(
        default=[], max_length=CLAIMS, description="The claims that decide it."
    )
    next_steps: list[Line] = Field(default=[], max_length=STEPS)


class Result(Strict):
    """The verdict, and what it rests on."""

    verdict: Verdict
    why: str
    base: str
    strongest_case_for: str | None
    claims: list[Claim]
    checked: list[Checked]
    rests_on: list[str]
    next_steps: list[str]


def judgement_problems(claims: list[Claim], made: Judgement) -> list[str]:
    known = {claim.id: claim for claim in claims}
    count = Counter(each.id for each in made.checked)
    found = [f"checked has nothing on claim '{each}'" for each in known if not count[each]]
    found += [f"checked has claim '{each}' more than once" for each, n in count.items() if n > 1]
    strange = {*count, *made.rests_on} - known.keys()
    found += [f"'{each}' is no claim" for each in sorted(strange)]
    result = {each.id: each.result for each in made.checked}
    against = [
        each
        for each in made.rests_on
        if each in known and known[each].stance == "against" and result.get(each) == "confirmed"
    ]
    if made.verdict in _LESS and not against:
        found.append(f"{made.verdict} has to rest on a confirmed claim against the change")
    if made.verdict == "needs_evidence" and "unproven" not in result.values():
        found.append("needs_evidence, and no claim is unproven")
    return found
