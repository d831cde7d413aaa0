"""Columns: as wide as what is in them, the last one cut at the page's edge."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .width import cut, pad, safe, width

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .page import Page

_GAP = "  "


class Cell(NamedTuple):
    """A text and the styles it is painted in."""

    text: str
    styles: tuple[str, ...] = ()


def table(page: Page, heads: Sequence[str], rows: Sequence[Sequence[Cell]]) -> None:
    """Draw rows under their heads."""
    listed = [[Cell(safe(c.text).replace("\n", " "), c.styles) for c in row] for row in rows]
    widths = [
        max([width(head), *(width(row[at].text) for row in listed)])
        for at, head in enumerate(heads)
    ]
    room = page.columns - sum(widths[:-1]) - len(_GAP) * (len(widths) - 1)
    widths[-1] = max(min(widths[-1], room), 8)
    top = [Cell(head, ("dim",)) for head in heads]
    for row in (top, *listed):
        drawn = [
            page.paint(pad(cut(cell.text, size), size), *cell.styles)
            for cell, size in zip(row, widths, strict=True)
        ]
        page.line(_GAP.join(drawn).rstrip())
