"""A chart as boxes in at most `width` columns."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from segue.session.workflow.chart import END, UNKNOWN

from .canvas import Canvas
from .layout import Branch, Span, branches, lanes, order

if TYPE_CHECKING:
    from collections.abc import Mapping

    from segue.session.workflow.chart import Chart, Step

    from .taken import Taken

COLOURS: Final = {
    "agent": "36",
    "assistant": "34",
    "compute": "32",
    "action": "33",
    "shell": "33",
    "wait": "35",
    "notify": "94",
    "checkpoint": "91",
    "human": "1;91",
    "mount": "1",
}
_DIM: Final = "2"
_BOX_LEAST: Final = 26
_BOX_MOST: Final = 52
_PAD: Final = 3
"""Columns from a box to its first lane, and from lane to lane."""


@dataclass
class _Row:
    """A step's place: the row of its box's top, and its branches with their rows."""

    step: Step
    top: int
    branches: list[tuple[Branch, int]] = field(default_factory=list)
    bottom: int = 0


class Drawing:
    """Puts one chart on a canvas."""

    def __init__(self, chart: Chart, width: int = 80, taken: Taken | None = None) -> None:
        self.chart = chart
        self.taken = taken
        self.canvas = Canvas()
        self.order = order(chart)
        self.at = {path: index for index, path in enumerate(self.order)}
        self.rows = self._rows()
        self.right, self.left = self._lanes(width)
        room = width - (self._used(self.right) + self._used(self.left))
        self.box = min(max(self._wanted(), _BOX_LEAST), _BOX_MOST, max(room, 20))
        self.stem = self.box // 2
        self.end = width - self._used(self.left)
        """The first column that is out of bounds."""

    # Measuring

    def _rows(self) -> list[_Row]:
        made: list[_Row] = []
        top = 0
        for index, path in enumerate(self.order):
            following = self.order[index + 1] if index + 1 < len(self.order) else None
            row = _Row(self.chart.steps[path], top)
            at = top + 3
            for branch in branches(self.chart, path, following):
                row.branches.append((branch, at))
                at += 1
            row.bottom = at - 1
            straight = bool(row.branches) and row.branches[-1][0].target == following
            top = at if straight else at + 1
            made.append(row)
        return made

    def _lanes(self, width: int) -> tuple[dict[str, int], dict[str, int]]:
        """Give both sides their lanes; ways that find none are written out."""
        right: dict[str, Span] = {}
        left: dict[str, Span] = {}
        for index, row in enumerate(self.rows):
            for branch, at in row.branches:
                goal = self.at.get(branch.target)
                if goal is None or goal == index + 1:
                    continue
                side = right if goal > index else left
                span = side.get(branch.target, Span(branch.target, at, at))
                name = self.rows[goal].top + 1
                rows = (span.top, span.bottom, at, name)
                side[branch.target] = Span(branch.target, min(rows), max(rows))
        most = max(1, (width - _BOX_LEAST) // (2 * _PAD) - 1)
        return lanes(right.values(), most), lanes(left.values(), most)

    def _used(self, side: Mapping[str, int]) -> int:
        return (max(side.values()) + 1) * _PAD + 1 if side else 0

    def _wanted(self) -> int:
        """Give the box's width that shows every name, and every label under its half."""
        steps = self.chart.steps.values()
        names = max((len(s.path) + len(s.shown) + 7 + self._mark_room() for s in steps), default=0)
        labels = max((len(b.label) for row in self.rows for b, _ in row.branches), default=0)
        fields = max((len(on) for on in self.chart.on.values()), default=0)
        return max(names, 2 * labels + 8, 2 * fields + 16)

    def _mark_room(self) -> int:
        return 7 if self.taken is not None else 0

    # Drawing

    def draw(self) -> Canvas:
        for index, row in enumerate(self.rows):
            for branch, at in row.branches:
                self._branch(index, row, branch, at)
        for row in self.rows:
            self._frame(row)
        for target in self.right:
            self._arrow(target, self.box, "◀")
        for target in self.left:
            self._arrow(target, -1, "▶")
        return self.canvas

    def _frame(self, row: _Row) -> None:
        step, inner = row.step, self.box - 2
        style = COLOURS.get(step.shown, "")
        been = self.taken is not None and step.path in self.taken.marks
        top, side, bottom = ("┏━┓", "┃", "┗━┛") if been else ("┌─┐", "│", "└─┘")
        style = style if self.taken is None or been else _DIM
        canvas = self.canvas
        canvas.text(row.top, 0, top[0] + top[1] * inner + top[2], style)
        canvas.text(row.top + 1, 0, side + " " * inner + side, style)
        canvas.text(row.top + 2, 0, bottom[0] + bottom[1] * inner + bottom[2], style)
        mark = self.taken.marks.get(step.path, "") if self.taken is not None else ""
        room = inner - len(step.shown) - 3 - (len(mark) + 1 if mark else 0)
        name = step.path if len(step.path) <= room else "…" + step.path[1 - room :]
        canvas.text(row.top + 1, 2, name, _bold(style))
        if mark:
            canvas.text(row.top + 1, 3 + len(name), mark, style)
        canvas.text(row.top + 1, self.box - 2 - len(step.shown), step.shown, style)
        on = self.chart.on.get(step.path)
        if on is not None:
            canvas.text(row.top + 2, 2, f" on {_cut(on, self.stem - 8)} ", style)
        if row.branches:
            canvas.text(row.top + 2, self.stem, "┳" if been else "┬", style)
        if self._entered_straight(row):
            canvas.text(row.top, self.stem, "▼", style)

    def _entered_straight(self, row: _Row) -> bool:
        index = self.at[row.step.path]
        before = self.rows[index - 1].branches if index else []
        return bool(before) and before[-1][0].target == row.step.path

    def _branch(self, index: int, row: _Row, branch: Branch, at: int) -> None:
        heavy = self.taken is not None and self.taken.went(row.step.path, branch.target)
        goal = self.at.get(branch.target)
        self.canvas.down(self.stem, row.top + 2, at, heavy=heavy)
        if goal is not None and goal == index + 1:
            self.canvas.down(self.stem, at, at + 1, heavy=heavy)
            self._label(at, self.stem + 2, branch.label)
        elif branch.target in {END, UNKNOWN}:
            self._ends(row, branch, at, heavy=heavy)
        elif goal is not None and goal > index and branch.target in self.right:
            self._to_right(branch, at, self.rows[goal].top + 1, heavy=heavy)
        elif goal is not None and goal <= index and branch.target in self.left:
            self._to_left(branch, at, self.rows[goal].top + 1, heavy=heavy)
        else:
            self._written(branch, at, heavy=heavy)

    def _to_right(self, branch: Branch, at: int, name: int, *, heavy: bool) -> None:
        column = self.box + _PAD * (self.right[branch.target] + 1) - 1
        self.canvas.across(at, self.stem, column, heavy=heavy)
        self.canvas.down(column, at, name, heavy=heavy)
        self.canvas.across(name, self.box, column, heavy=heavy)
        self._label(at, self.stem + 2, branch.label)

    def _to_left(self, branch: Branch, at: int, name: int, *, heavy: bool) -> None:
        column = -_PAD * (self.left[branch.target] + 1)
        self.canvas.across(at, column, self.stem, heavy=heavy)
        self.canvas.down(column, name, at, heavy=heavy)
        self.canvas.across(name, column, -1, heavy=heavy)
        label = _cut(branch.label, self.stem - 4)
        self._label(at, self.stem - 3 - len(label), label)

    def _ends(self, row: _Row, branch: Branch, at: int, *, heavy: bool) -> None:
        sign = "● end" if branch.target == END else "? not known from the text"
        if len(row.branches) == 1 and not branch.label:
            self.canvas.text(at, self.stem, _cut(sign, self.end - self.stem))
            return
        self._sideways(branch, at, sign, heavy=heavy)

    def _written(self, branch: Branch, at: int, *, heavy: bool) -> None:
        """A way that found no lane: its target is named."""
        self._sideways(branch, at, f"▶ {branch.target}", heavy=heavy)

    def _sideways(self, branch: Branch, at: int, sign: str, *, heavy: bool) -> None:
        label = _cut(branch.label, self._label_room())
        column = self.stem + 3 + (len(label) + 2 if label else 0)
        self.canvas.across(at, self.stem, column, heavy=heavy)
        self._label(at, self.stem + 2, label)
        self.canvas.text(at, column, _cut(sign, self.end - column))

    def _label_room(self) -> int:
        """Characters of a label that fit before the first lane."""
        return self.box - self.stem + _PAD - 7

    def _label(self, at: int, column: int, label: str) -> None:
        text = _cut(label, max(self._label_room(), self.stem - 4))
        if text:
            self.canvas.text(at, column, f" {text} ")

    def _arrow(self, target: str, column: int, sign: str) -> None:
        self.canvas.text(self.rows[self.at[target]].top + 1, column, sign)


def _cut(text: str, room: int) -> str:
    return text if len(text) <= room else text[: max(0, room - 1)] + "…"


def _bold(style: str) -> str:
    return style if style.startswith("1") or style == _DIM else f"1;{style}" if style else "1"


def kinds(chart: Chart) -> str:
    """Give one line that counts the steps by kind."""
    counts = Counter(step.shown for step in chart.steps.values())
    return ", ".join(f"{count} {kind}" for kind, count in counts.items())
