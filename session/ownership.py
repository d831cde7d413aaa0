"""Who may do what: the ownership table of product.md section 6 (O3), and nothing else.

An actor is who stands behind a call. The table is literal; every call asks it before it looks
anything up, so that a stranger learns nothing, not even from a receipt.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final, NamedTuple

from .errors import NotAllowed


class Who(StrEnum):
    """Kinds of actor."""

    MODEL = "model"
    """The model in a session, through the live attachment or its instance's hook."""
    PERSON = "person"
    """The person in a session: a slash command, a host's dialog."""
    ELSEWHERE = "elsewhere"
    """A person at a terminal or palette, naming the run."""
    RUNNER = "runner"
    """The attached instance's own driving of a run; its right is the epoch and the token."""


class Act(StrEnum):
    """What a call wants to do to a run."""

    START = "start"
    STATUS = "status"
    READ = "read"
    SUBMIT = "submit"
    UPDATE = "update"
    ANSWER_CHECKPOINT = "answer_checkpoint"
    ANSWER_HUMAN = "answer_human"
    PAUSE = "pause"
    RESUME = "resume"
    CANCEL = "cancel"
    REBIND = "rebind"
    QUEUE = "queue"
    DRIVE = "drive"


class SessionKey(NamedTuple):
    """One conversation in one host, by the host's own id, verbatim (O1)."""

    host: str
    id: str

    def __str__(self) -> str:
        return f"{self.host}:{self.id}"


class Actor(NamedTuple):
    """Who acts, and in which session; a person elsewhere is in none."""

    who: Who
    session: SessionKey | None = None

    def __str__(self) -> str:
        return self.who if self.session is None else f"{self.who}@{self.session}"


_MODEL: Final = frozenset(
    {
        Act.START,
        Act.STATUS,
        Act.READ,
        Act.SUBMIT,
        Act.UPDATE,
        Act.ANSWER_CHECKPOINT,
        Act.PAUSE,
        Act.CANCEL,
    }
)
TABLE: Final[dict[Who, frozenset[Act]]] = {
    Who.MODEL: _MODEL,
    Who.PERSON: _MODEL | {Act.RESUME, Act.ANSWER_HUMAN, Act.REBIND},
    Who.ELSEWHERE: frozenset(
        {
            Act.STATUS,
            Act.READ,
            Act.QUEUE,
            Act.PAUSE,
            Act.RESUME,
            Act.CANCEL,
            Act.ANSWER_HUMAN,
            Act.ANSWER_CHECKPOINT,
            Act.REBIND,
        }
    ),
    Who.RUNNER: frozenset({Act.DRIVE, Act.STATUS, Act.READ}),
}


def check(actor: Actor, act: Act, owner: SessionKey) -> None:
    """Let the act pass, or refuse it.

    Raises:
        NotAllowed: Where the table does not list it, or the actor sits in another session.
    """
    if actor.who is not Who.ELSEWHERE and actor.session != owner:
        raise NotAllowed(f"this run belongs to session {owner}: only that session may {act} it")
    if act not in TABLE[actor.who]:
        raise NotAllowed(f"the {actor.who} of session {owner} may not {act} a run")
