"""A message in a frame, as wide as the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .width import cut, pad, width, wrap

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .page import Page


def card(
    page: Page,
    title: str,
    note: str,
    paragraphs: Iterable[tuple[str, tuple[str, ...]]],
    colour: str = "cyan",
) -> None:
    """Draw paragraphs, each in its style, under a title with a note at its right."""
    paint, inner = page.paint, page.columns - 4
    note = cut(note, inner // 2)
    title = cut(title, inner - width(note) - 4)
    rule = "─" * (inner - width(title) - width(note) - 3)
    page.line(
        f"{paint('╭─', colour)} {paint(title, 'bold', colour)} "
        f"{paint(rule, colour)} {paint(note, 'dim')} {paint('╮', colour)}"
        if note
        else f"{paint('╭─', colour)} {paint(title, 'bold', colour)} {paint(rule + '──╮', colour)}"
    )
    side = paint("│", colour)
    for at, (text, styles) in enumerate(paragraphs):
        if at:
            page.line(f"{side}{' ' * (inner + 2)}{side}")
        for line in wrap(text.strip("\n"), inner):
            page.line(f"{side} {paint(pad(line, inner), *styles)} {side}")
    page.line(paint("╰" + "─" * (inner + 2) + "╯", colour))
