"""The proof that a person sits at a terminal, for what no model may do (H1).

Three things: no known agent's environment, the controlling terminal itself opened and talked to,
and a name typed there. It keeps models and scripts from answering by accident or on their own;
another process of the same user can forge all three (docs/SECURITY.md says so).
"""

from __future__ import annotations

import os
import termios
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from segue.session.errors import SegueError

from .views.width import safe

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from segue.session.status import Status

AGENTS: Final[dict[str, str]] = {
    "CLAUDECODE": "Claude Code",
    "CLAUDE_CODE_ENTRYPOINT": "Claude Code",
    "CLAUDE_CODE_CHILD_SESSION": "Claude Code",
    "CODEX_SANDBOX": "Codex",
    "CODEX_SANDBOX_NETWORK_DISABLED": "Codex",
    "CODEX_THREAD_ID": "Codex",
    "CODEX_CI": "Codex",
    "GEMINI_CLI": "Gemini CLI",
    "QWEN_CODE": "Qwen Code",
    "COPILOT_CLI": "Copilot CLI",
    "COPILOT_AGENT_SESSION_ID": "Copilot CLI",
    "OPENCODE": "OpenCode",
    "OPENCODE_CLIENT": "OpenCode",
    "PI_CODING_AGENT": "Pi",
    "CURSOR_AGENT": "Cursor",
    "CLINE_ACTIVE": "Cline",
    "AUGMENT_AGENT": "Augment",
    "GOOSE_TERMINAL": "Goose",
    "AMP_CURRENT_THREAD_ID": "Amp",
    "ANTIGRAVITY_AGENT": "Antigravity",
    "TRAE_AI_SHELL_ID": "Trae",
    "CRUSH": "Crush",
    "AI_AGENT": "an agent that says so",
    "AGENT": "an agent that says so",
}
"""Variables that agents set for the shells in which they run commands, and which one does."""


class PersonNeeded(SegueError):
    """Only a person at a terminal of their own may do this."""

    code = "person_needed"


def agent(environ: Mapping[str, str]) -> tuple[str, str] | None:
    """Give the variable that tells of an agent's shell, and the agent; None in a person's."""
    return next(((name, AGENTS[name]) for name in AGENTS if environ.get(name)), None)


def in_agent() -> bool:
    """Whether this is an agent's shell: approvals are not named in there (H1)."""
    return agent(os.environ) is not None


def next_of(status: Status) -> tuple[str | None, str | None]:
    """Give the next step at a terminal and in the session; in an agent's shell no approval (H1)."""
    if status.person and in_agent():
        return None, None
    return status.next_step, status.next_here


def refuse_agents(environ: Mapping[str, str]) -> None:
    """Refuse to go on inside an agent's shell.

    Raises:
        PersonNeeded: With the variable that told.
    """
    found = agent(environ)
    if found is not None:
        raise PersonNeeded(
            f"this is the shell of {found[1]} ({found[0]} is set): a person has to do it, in a"
            " terminal of their own"
        )


class Terminal:
    """The controlling terminal, whatever stdin and stdout are."""

    def __init__(self, fd: int) -> None:
        self._fd = fd

    def show(self, text: str = "") -> None:
        """Show a text; nothing in it can steer the terminal."""
        self._write(text + "\n")

    def ask(self, prompt: str) -> str:
        """Ask for a line."""
        self._write(prompt)
        made = b""
        while not made.endswith(b"\n"):
            got = os.read(self._fd, 4_096)  # a terminal gives a line at a time
            if not got:
                raise PersonNeeded("the terminal was closed: nothing is changed")
            made += got
        return made.decode("utf-8", "replace").strip()

    def approve(self, name: str, what: str) -> None:
        """Have the name typed; what was typed before the question was there does not count.

        Raises:
            PersonNeeded: Something else was typed.
        """
        termios.tcflush(self._fd, termios.TCIFLUSH)
        if self.ask(f"Type {name} to {what}: ") != name:
            raise PersonNeeded(f"that was not {name!r}: nothing is changed")

    def _write(self, text: str) -> None:
        left = safe(text).encode("utf-8", "replace")
        while left:
            left = left[os.write(self._fd, left) :]


@contextmanager
def terminal(environ: Mapping[str, str]) -> Iterator[Terminal]:
    """Open the controlling terminal of a person.

    Raises:
        PersonNeeded: There is none, this process runs in its background, or an agent's shell.
    """
    refuse_agents(environ)
    try:
        fd = os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY)
    except OSError as error:
        raise PersonNeeded(
            "there is no terminal to ask at: a person has to type this command in one"
        ) from error
    try:
        if os.tcgetpgrp(fd) != os.getpgrp():
            raise PersonNeeded("this runs in the terminal's background: type it in the foreground")
        yield Terminal(fd)
    finally:
        os.close(fd)
