"""How autoplan's prompts show the answers of earlier steps."""

from segue.builtins._fields import bullets
from segue.builtins._planning import (
    IDEAL,
    IDEAL_TITLE,
    Candidate,
    Check,
    Frame,
    HolyGrail,
    SelectionCheck,
)


def frame_text(made: Frame) -> str:
    return (
        f"Problem: {made.problem}\n\nSuccess criteria:\n{bullets(made.success_criteria)}\n\n"
        f"In scope:\n{bullets(made.in_scope)}\n\nOut of scope:\n{bullets(made.out_of_scope)}\n\n"
        f"Constraints:\n{bullets(made.constraints)}\n\n"
        f"Control boundary: {made.control_boundary}"
    )


def candidate_text(made: Candidate) -> str:
    return (
        f"{made.id}: {made.title}\n{made.gist}\n\n{made.solution}\n\n"
        f"Rationale: {made.rationale}\n\nParts:\n{bullets(made.parts)}\n\n"
        f"Trade-offs:\n{bullets(made.trade_offs)}"
    )


def ideal_text(made: HolyGrail) -> str:
    return (
        f"{IDEAL}: {IDEAL_TITLE}\n\n{made.end_state}\n\n"
        f"Outside dependencies:\n{bullets(made.outside_dependencies)}\n\n"
        f"Additional value: {made.additional_value}"
    )


def repair_text(check: Check | SelectionCheck | None) -> str:
    """Say what code found wrong with the last answer; nothing where there is none."""
    if check is None or check.verdict != "repair":
        return ""
    return (
        "Your last answer was not accepted. Give the whole answer again with this repaired, and"
        f" keep what was right, ids included:\n{bullets(check.problems)}\n\n"
    )
