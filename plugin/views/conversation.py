"""A rehearsal as it is lived: what the model is told, what it answers, what happens between."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from segue.session.engine.progress import estimate

from . import receipts
from .bars import bar
from .cards import card
from .statuses import run_word, step_sign, words
from .times import duration
from .values import bounded, pretty

if TYPE_CHECKING:
    from segue.session.canonical import Json
    from segue.session.standing import Receipt
    from segue.session.store.records import Attempt, Run
    from segue.session.text import StepText
    from segue.session.workflow.snapshot import Definition, NodeDef

    from .page import Page

_LINES = 24
"""Lines of one output that are shown; `segue show RUN --json` gives all of it."""
_DIM = ("dim",)


class Conversation:
    """Draws a rehearsal on a page while it happens.

    Args:
        page: Where to draw.
        faked: Whether actions and commands are answered from a script.
        done: How many steps a resumed run has behind it.
        brief: Leave out of each message what Segue adds to the author's prompt.
        echo: Repeat the answers; who has just typed them knows them.
    """

    def __init__(
        self,
        page: Page,
        *,
        faked: bool,
        done: int = 0,
        brief: bool = False,
        echo: bool = True,
    ) -> None:
        self.page = page
        self.echo = echo
        self.brief = brief
        self.faked = faked
        self._number = done
        self._seen: tuple[str, int] | None = None
        self._first: tuple[dict[str, Any], float] | None = None

    def started(self, run: Run, definition: Definition, resumed: int) -> None:
        if not resumed:
            page, paint = self.page, self.page.paint
            page.line(f"{paint(definition.name, 'bold')}{paint(f' · {run.id}', 'dim')}")
            page.text(definition.title or definition.description or "a rehearsal", "dim")

    def said(self, node: NodeDef, visit: int, kind: str, text: StepText) -> None:
        again = (node.path, visit) == self._seen
        if not again:
            self._seen = (node.path, visit)
            self._number += 1
            self.page.line()
            self._card(node, visit, kind, text)

    def _card(self, node: NodeDef, visit: int, kind: str, text: StepText) -> None:
        label = (
            "for a person" if node.human else "checkpoint" if kind == "checkpoint" else node.kind
        )
        note = label + (f" · visit {visit}" if visit > 1 else "")
        if self.brief:
            parts = [(text.prompt, ()), (_left_out(text), _DIM)]
        else:
            added = [(part, _DIM) for part in (text.contract, text.schema) if part]
            parts = [(text.guard, _DIM), (text.prompt, ()), *added]
        colour = "cyan" if _who(node) == "model" else "magenta"
        title = f"{self._number} · {node.path}"
        card(self.page, title, note, parts, colour)

    def answered(self, node: NodeDef, raw: Json, receipt: Receipt) -> None:
        page, paint = self.page, self.page.paint
        if self.echo:
            speaker = paint(f"  {_who(node):>6} ", "bold") + "▸ "
            text = raw if isinstance(raw, str) else pretty(raw, page.columns - 11)
            page.text(bounded(text, _LINES), first=speaker, indent=" " * 11)
        if receipt.accepted:
            note = " (a wrapping around the JSON was taken off)" if receipt.normalized else ""
            page.line(f"         {step_sign(paint, 'ok')} {paint('accepted' + note, 'green')}")
            return
        sign = step_sign(paint, "failed")
        page.text(receipt.message, "red", first=f"         {sign} ", indent=" " * 11)

    def skipped(self, node: NodeDef, ms: int) -> None:
        if node.kind == "wait":
            self._head("ok", node, 1, f"waited {duration(ms)}, skipped")
        else:
            self.page.line(f"         {self.page.paint(f'{duration(ms)} went by, skipped', 'dim')}")

    def stepped(self, node: NodeDef, attempt: Attempt, output: Json, receipt: Json) -> None:
        if node.kind == "mount" and attempt.state == "ok":
            self._mounted(node, output)
            return
        if node.kind == "wait" and attempt.state == "ok":
            return  # `skipped` has told it
        asked = (node.path, attempt.visit) == self._seen
        if not asked:
            said = {"notify": "tells the person"}.get(node.kind, "")
            self._head(attempt.state, node, attempt.visit, said)
        for line in receipts.lines(node, receipt, faked=self.faked):
            self.page.text(line, *_DIM, indent="      ")
        if attempt.state != "ok":
            why = f"{words(attempt.state)}: {attempt.reason}" if attempt.reason else attempt.state
            self.page.text(why, "red", indent="      ")
        elif output is not None:
            self.page.text(
                bounded(receipts.said(output, self.page.columns - 8), _LINES),
                first="    " + self.page.paint("→ ", "dim"),
                indent="      ",
            )
        self._first = None

    def _mounted(self, node: NodeDef, value: Json) -> None:
        self.page.line()
        text = f"into {node.path} with {pretty(value, 10_000)}"
        self.page.text(text, *_DIM, first="  ▾ ", indent="    ")

    def _head(self, state: str, node: NodeDef, visit: int, note: str) -> None:
        self._number += 1
        page, paint = self.page, self.page.paint
        page.line()
        more = f" · visit {visit}" if visit > 1 else ""
        told = paint(f" · {node.kind}{more}" + (f" · {note}" if note else ""), "dim")
        name = paint(f"{self._number} · {node.path}", "bold")
        page.line(f"  {step_sign(paint, state)} {name}{told}")

    def progressed(self, node: NodeDef, data: dict[str, Any]) -> None:
        now = time.monotonic() * 1000
        if self._first is None:
            self._first = (data, now)
        first, at = self._first
        found = estimate(first, data, int(at), int(now))
        self.page.live(f"      {bar(self.page.paint, found)}  {node.path}")

    def ended(self, run: Run, output: Json) -> None:
        page, paint = self.page, self.page.paint
        page.line()
        page.line(paint("━" * page.columns, "dim"))
        steps = "1 step" if self._number == 1 else f"{self._number} steps"
        left = f" by exit '{run.exit}'" if run.exit else ""
        page.line(f"{run_word(paint, run.state)} {paint(f'after {steps}{left} · {run.id}', 'dim')}")
        why = run.detail or run.reason
        if why and run.state != "completed":
            page.text(why, "red" if run.state == "failed" else "yellow", indent="  ")
        if output is not None:
            text = output if isinstance(output, str) else pretty(output, page.columns - 2)
            page.text(bounded(text, _LINES * 2), indent="  ")


def _who(node: NodeDef) -> str:
    return "person" if node.kind == "checkpoint" else "model"


def _left_out(text: StepText) -> str:
    added = len(str(text)) - len(text.prompt)
    what = "guard, contract and schema" if text.schema else "guard and contract"
    return f"[{what}: {added:,} characters more]"
