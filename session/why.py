"""Why a run stands still and what goes on with it: one row for each reason (D8).

`status.py` finds the reason; this table says it in words. `here` is typed in the origin session
after `/workflow`, `command` at a terminal after `segue`. Words in braces are facts of the run.
"""

from __future__ import annotations

from typing import Final, NamedTuple

RESUME: Final = "resume {run}"


class Why(NamedTuple):
    """What is said of one reason.

    Attributes:
        said: The explanation, for people and models: it names no command.
        here: What goes on with the run, typed in its session.
        command: The same from a terminal.
        rehearsal: The same where the run is a rehearsal; empty, `command`.
        by_itself: While its session is attached nobody has to do anything.
        person: Only a person may do it: a model is never told how (H1).
    """

    said: str
    here: str = "resume"
    command: str = RESUME
    rehearsal: str = ""
    by_itself: bool = False
    person: bool = False


WHY: Final[dict[str, Why]] = {
    "queued": Why(
        "it was queued from elsewhere and waits for session {session} to take it up",
        by_itself=True,
    ),
    "wait": Why("'{node}' sleeps until {until}", by_itself=True),
    "checkpoint": Why(
        "'{node}' waits for an answer to request {request}",
        here="answer {request} ANSWER",
        command="answer {request}",
        rehearsal=RESUME,
    ),
    "human": Why(
        "'{node}' waits for a person's choice, request {request}: no model can make it",
        here="answer {request} CHOICE",
        command="answer {request}",
        rehearsal=RESUME,
        person=True,
    ),
    "missing_submission": Why(
        "the model ended its turns without submitting and was reminded as often as may be;"
        " resuming says the step again"
    ),
    "turn_failed": Why(
        "the model's turn broke off, so it is unknown whether the step was worked on;"
        " resuming says the step again"
    ),
    "no_progress": Why(
        "its worker died again and again at the same place: look at the workflow's own code and"
        " at the machine's memory, then resume"
    ),
    "prompt_too_long": Why(
        "a prompt is longer than may be said. A run keeps the copy of the workflow that it was"
        " started with: change the workflow, end this run and start anew",
        here="cancel",
        command="cancel {run}",
    ),
    "cannot_load": Why(
        "its own copy of the workflow does not load any more: put back what the detail names"
        " (a package, an interpreter), then resume"
    ),
    "effect_alive": Why(
        "an interrupted effect may still be under way, and nothing runs again while it lives:"
        " end that process, then resume"
    ),
    "effect_unknown": Why(
        "a crash left it unknown whether '{node}' took effect. Look outside, then say whether it"
        " is done, has to run again, or failed",
        here="resume --effect done|again|failed",
        command="resume {run} --effect done|again|failed",
    ),
    "reopened": Why(
        "session {session} was opened again: nothing is spent until a person says so",
    ),
    "rebound": Why("a person moved it to session {session}: nothing is spent until they say so"),
    "paused": Why("it was paused between two steps; nothing is lost and nothing runs"),
    "owner_gone": Why(
        "the process that drove it is gone ({proof}); nothing that it finished is lost"
    ),
    "detached": Why("the process that drove it has let go of it; nothing that it finished is lost"),
    "asked_pause": Why(
        "session {session} was asked to pause it and does so after the step under way",
        here="pause",
        command="pause {run}",
        by_itself=True,
    ),
    "asked_cancel": Why(
        "session {session} was asked to end it",
        here="cancel",
        command="cancel {run}",
        by_itself=True,
    ),
    "asked_resume": Why(
        "session {session} was asked to go on with it and does so once it is attached",
        here="",
        command="",
        by_itself=True,
    ),
    "person_turn": Why(
        "the model was told the step '{node}', and then a turn ended that was not for it (a"
        " person's own, as a rule): request {request} stays open and nothing reminds of it;"
        " resuming says the step again"
    ),
    "unsaid": Why(
        "what comes next waits until the conversation of session {session} is idle",
        here="",
        command="",
        by_itself=True,
    ),
    "other_version": Why(
        "it was started by Segue {made_by}, and Segue {this} cannot read its definition. Install"
        " that version to go on with it, or end it and start anew",
        here="cancel",
        command="cancel {run}",
    ),
}
"""Every reason that is stored, and those that are proved when they are read."""

UNKNOWN: Final = Why("it waits for a reason that this version of Segue does not know")
ENDED: Final = Why("it has ended", here="", command="")
