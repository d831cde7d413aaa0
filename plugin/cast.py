"""Who answers in a rehearsal without an answers file: the person at the terminal, or nobody."""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from segue.session.errors import SegueError

if TYPE_CHECKING:
    from collections.abc import Callable

    from segue.session.canonical import Json
    from segue.session.text import StepText
    from segue.session.workflow.snapshot import NodeDef

    from .views.page import Page

TIMED_OUT: Final[Json] = {"$outcome": "timed_out"}
_HELP: Final = {
    "output": "Answer as the model: JSON over one or more lines.",
    "reply": "Answer as the model: text, ended by an empty line.",
    "checkpoint": "Answer as the person: JSON, or text where no schema is given.",
    "human": "Pick one, by its name or number.",
}


class NobodyThere(SegueError):
    """Something was asked, and there are no answers and no terminal."""

    code = "nobody_there"


class Nobody:
    """Fails as soon as anything is asked; a workflow that asks nothing never notices."""

    def answer(self, node: NodeDef, _kind: str, _number: int, _text: StepText) -> Json:
        raise _nobody(node)

    def effect(self, node: NodeDef, _visit: int) -> Json:
        raise _nobody(node)


def _nobody(node: NodeDef) -> NobodyThere:
    return NobodyThere(
        f"node '{node.path}' ({node.kind}) needs an answer and stdin is no terminal: give"
        " --answers FILE"
    )


class Stopped(SegueError):
    """The person ended the input (Ctrl-D)."""

    code = "stopped"


class Person:
    """Asks at the terminal.

    Args:
        page: Where the questions are drawn.
        read: Gives one line for a prompt; raises `EOFError` at the end.
    """

    def __init__(self, page: Page, read: Callable[[str], str] | None = None) -> None:
        self.page = page
        self._read = read or reader(page)
        self._told: set[str] = set()

    def answer(self, node: NodeDef, kind: str, _number: int, _text: StepText) -> Json:
        if kind not in self._told:
            self._told.add(kind)
            self._hint(f'{_HELP[kind]} {{"$outcome": "timed_out"}} lets the time run out.')
        if kind == "human":
            return self._choice(node)
        if kind == "reply" or (kind == "checkpoint" and node.schema is None):
            text = self._lines()
            outcome: Json = TIMED_OUT if _json(text) == TIMED_OUT else text
            return outcome
        return self._value()

    def effect(self, node: NodeDef, visit: int) -> Json:
        again = f", visit {visit}" if visit > 1 else ""
        what = f"  {node.kind} '{node.path}'{again} is not run (--run-actions runs it)."
        if node.kind != "shell":
            self._hint(f"{what} Its output, as JSON:")
            return self._value()
        self._hint(f"{what} What it prints, ended by an empty line:")
        stdout = self._lines()
        made = _json(stdout)
        if isinstance(made, dict) and made.keys() <= {"stdout", "stderr", "exit_code"}:
            return made
        code = self._ask("  exit code [0] ▸ ").strip()
        return {"stdout": stdout, "exit_code": int(code) if code.lstrip("-").isdigit() else 0}

    def _hint(self, text: str) -> None:
        self.page.text(text, "dim", indent="  ")

    def _value(self) -> Json:
        """Read JSON that may go over several lines; what never becomes JSON is sent as it is."""
        text = self._ask("  you ▸ ")
        while not text.strip():
            text = self._ask("  you ▸ ")
        while text.lstrip()[:1] in ("{", "[", "`") and _json(text) is _NOT_JSON:
            line = self._ask("    … ")
            if not line.strip():
                break
            text += "\n" + line
        value = _json(text)
        return text if value is _NOT_JSON else value

    def _lines(self) -> str:
        listed = [self._ask("  you ▸ ")]
        while listed[-1].strip():
            listed.append(self._ask("    … "))
        return "\n".join(listed[:-1])

    def _choice(self, node: NodeDef) -> Json:
        for at, choice in enumerate(node.choices, 1):
            self.page.line(f"    {at}  {choice}")
        said = self._ask("  you ▸ ").strip()
        if _json(said) == TIMED_OUT:
            return TIMED_OUT
        at = int(said) - 1 if said.isdigit() else -1
        choice = node.choices[at] if 0 <= at < len(node.choices) else said
        if choice not in node.text:
            return {"choice": choice}
        self._hint(f"'{choice}' wants a text, ended by an empty line:")
        return {"choice": choice, "text": self._lines()}

    def _ask(self, prompt: str) -> str:
        try:
            return self._read(prompt)
        except EOFError:
            self.page.line()
            raise Stopped("the input ended: the rehearsal stops here") from None


def reader(page: Page) -> Callable[[str], str]:
    """Give what reads lines: with editing where the page is stdout, else beside it."""
    if page.stream is sys.stdout:
        with suppress(ImportError):
            import readline  # noqa: F401 - gives `input` its editing and history
        return input

    def read(prompt: str) -> str:
        page.stream.write(prompt)
        page.stream.flush()
        line = sys.stdin.readline()
        if not line:
            raise EOFError
        return line.rstrip("\n")

    return read


_NOT_JSON: Final[Any] = object()


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return _NOT_JSON
