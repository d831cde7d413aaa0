"""Text by the columns it takes on a terminal: wrapped, cut and padded, safe to print."""

from __future__ import annotations

import unicodedata
from typing import Final

_SHOWN: Final = {
    **{c: chr(0x2400 + c) for c in (*range(9), *range(11, 32))},
    9: "    ",
    127: "\u2421",
    **dict.fromkeys(range(0x80, 0xA0), "\ufffd"),
    # What turns the reading direction round could make a line say something else.
    **dict.fromkeys((*range(0x202A, 0x202F), *range(0x2066, 0x206A)), "\ufffd"),
}


def safe(text: str) -> str:
    """Give text without characters that would steer a terminal; line ends stay."""
    return text.replace("\r\n", "\n").translate(_SHOWN)


def width(text: str) -> int:
    """Give the columns that a text of one line takes."""
    return len(text) if text.isascii() else sum(map(_columns, text))


def _columns(char: str) -> int:
    if unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1


def cut(text: str, columns: int) -> str:
    """Give a text of at most so many columns, marked where something was left out."""
    if width(text) <= columns:
        return text
    return _head(text, columns - 1) + "…"


def pad(text: str, columns: int) -> str:
    return text + " " * (columns - width(text))


def _head(text: str, columns: int) -> str:
    taken = 0
    for at, char in enumerate(text):
        taken += _columns(char)
        if taken > columns:
            return text[:at]
    return text


def wrap(text: str, columns: int) -> list[str]:
    """Break a text into lines of at most so many columns; indentation is kept."""
    return [piece for line in safe(text).split("\n") for piece in _wrapped(line, columns)]


def _wrapped(line: str, columns: int) -> list[str]:
    if width(line) <= columns:
        return [line]
    indent = _head(line[: len(line) - len(line.lstrip(" "))], columns // 2)
    text = line.strip(" ")
    hang = "  " if text.startswith("- ") and columns > len(indent) + 20 else ""
    made: list[str] = []
    open_line = ""
    for word in text.split(" "):
        lead = indent + hang if made else indent
        joined = f"{open_line} {word}" if open_line else word
        if width(lead + joined) <= columns:
            open_line = joined
            continue
        if open_line:
            made.append(lead + open_line)
            lead = indent + hang
        open_line = word
        while width(lead + open_line) > columns:
            head = _at_comma(_head(open_line, columns - len(lead))) or open_line[0]
            made.append(lead + head)
            open_line = open_line[len(head) :]
            lead = indent + hang
    lead = indent + hang if made else indent
    return [*made, lead + open_line] if open_line or not made else made


def _at_comma(head: str) -> str:
    """Break JSON without spaces between its items, where that is not far away."""
    at = head.rfind(",")
    return head[: at + 1] if at > len(head) // 2 else head
