"""What a callback's place, its result and an answer have to be beyond their types."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from .. import limits
from ..workflow.contract import Problem, Rejected, revive, shown

if TYPE_CHECKING:
    from pathlib import Path

    from ..workflow.bind import Bound
    from ..workflow.values import ShellResult


class Failed(Exception):
    """Author code did not give a usable result."""

    def __init__(self, reason: str, trace: str = "") -> None:
        super().__init__(reason)
        self.trace = trace


def go_to(project: str | Path) -> None:
    """Be in the project's folder; raises `Failed`."""
    try:
        os.chdir(project)
    except OSError as error:
        raise Failed(f"the project folder {project}: {error.strerror}") from error


def check_characters(text: str, bound: Bound) -> None:
    """Refuse what no text outside Python can hold."""
    if text.isascii():
        return
    try:
        text.encode()
    except UnicodeEncodeError as error:
        place = bound.node.place
        raise Failed(
            f"the text has half of a surrogate pair, which is not a character"
            f" ({place.file}:{place.line}, node '{bound.path}')"
        ) from error


def typed_result(fake: Any) -> ShellResult:
    """Give a rehearsed result of a command; raises `Rejected`."""
    from ..workflow.values import ShellResult

    try:
        made: ShellResult = revive(ShellResult, fake)
    except ValueError as error:
        raise Rejected(
            (Problem("(whole)", '{"stdout", "stderr", "exit_code"}', shown(fake)),)
        ) from error
    return made


def reply(raw: Any, most: int) -> str:
    """Give an assistant's visible text, at most so many characters; raises `Rejected`."""
    if not isinstance(raw, str) or not raw.strip():
        raise Rejected((Problem("(whole)", "visible text", shown(raw)),))
    if most and len(raw) > most:
        raise Rejected(
            (Problem("(whole)", f"at most {most:,} characters", f"{len(raw):,} characters"),)
        )
    return raw


def check_text(settings: Any, value: Any) -> None:
    """Let a person's choice pass that has the text it wants; raises `Rejected`."""
    if not settings.get("human"):
        return
    wants = value["choice"] in settings.get("text", ())
    given = value["text"]
    if wants and not (given or "").strip():
        raise Rejected((Problem("text", f"a text with '{value['choice']}'", shown(given)),))
    if given is not None and len(given) > limits.HUMAN_TEXT_CHARS:
        most = f"at most {limits.HUMAN_TEXT_CHARS:,} characters"
        raise Rejected((Problem("text", most, f"{len(given):,} characters"),))


def instant(value: Any) -> int:
    """Give a time that an author wrote as ms since the epoch; raises `Failed`."""
    stamp = getattr(value, "timestamp", None)
    if not callable(stamp) or getattr(value, "tzinfo", None) is None:
        raise Failed(f"until needs a datetime with a time zone, not {shown(value)}")
    return int(stamp() * 1000)
