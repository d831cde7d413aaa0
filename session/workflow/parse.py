"""Reads what a model sent as JSON: strict about JSON, tolerant once about its wrapping.

A fenced block or a JSON string around the value is taken off, once, and that is told to the
caller. Everything that JSON does not have, or has twice, is refused with its place.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any, NoReturn

from .. import limits
from ..canonical import Json, compact


class NotJson(ValueError):
    """The text is not one JSON value; the message says where and why."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """A JSON value, and whether a wrapping had to be taken off to get it."""

    value: Json
    normalized: bool


def parse_answer(raw: Json) -> Parsed:
    """Read an answer, given as a JSON value or as a text that holds one.

    Raises:
        NotJson: For text that is not JSON, NaN, duplicate keys, too long, too deep.
    """
    if not isinstance(raw, str):
        check_depth(raw)
        _check_length(_text_of(raw))
        return Parsed(raw, normalized=False)
    _check_length(raw)
    value = loads(_unfenced(raw))
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        value = loads(value)
    return Parsed(value, normalized=True)


def unsendable(raw: Json) -> str | None:
    """Say why an answer cannot even be handed on as JSON text; None where it can."""
    try:
        if not isinstance(raw, str):
            check_depth(raw)
        _check_length(_text_of(raw) if not isinstance(raw, str) else raw)
        if isinstance(raw, str):
            _text_of(raw)
    except NotJson as error:
        return str(error)
    return None


def _check_length(text: str) -> None:
    if len(text) > limits.ANSWER_CHARS:
        raise NotJson(
            f"the answer has {len(text):,} characters; at most {limits.ANSWER_CHARS:,} are read"
        )


def _unfenced(text: str) -> str:
    """Take one fenced block off that is all there is; done by hand, in linear time."""
    bare = text.strip()
    opening, newline, rest = bare.partition("\n")
    if not newline or not opening.startswith("```") or not rest.endswith("```"):
        return text
    language = opening[3:].strip()
    return rest.removesuffix("```") if language.isidentifier() or not language else text


def loads(text: str) -> Json:
    """Parse JSON text, refusing what `json` lets through.

    Raises:
        NotJson: With line and column, or with the key that came twice.
    """
    try:
        value: Json = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise NotJson(
            f"not JSON at line {error.lineno}, column {error.colno}: {error.msg}"
        ) from error
    except RecursionError as error:
        raise NotJson(f"nested more than {limits.NESTING} deep") from error
    check_depth(value)
    if "\\u" in text or not text.isascii():
        _text_of(value)
    return value


def _text_of(value: Json) -> str:
    """Give a value's JSON text, refusing what no JSON text can hold."""
    try:
        text = compact(value)
        text.encode()
    except UnicodeEncodeError as error:
        raise NotJson("half of a surrogate pair is not a character: leave it out") from error
    except (ValueError, TypeError) as error:
        raise NotJson(f"not JSON: {error}") from error
    return text


def check_depth(value: Any) -> None:
    """Refuse what nests too deep.

    Raises:
        NotJson: Beyond the limit.
    """
    layer: list[Any] = [value]
    for _ in range(limits.NESTING + 1):
        layer = [item for item in layer if isinstance(item, (dict, list))]
        if not layer:
            return
        layer = [x for item in layer for x in (item.values() if isinstance(item, dict) else item)]
    raise NotJson(f"nested more than {limits.NESTING} deep")


def _no_constant(name: str) -> NoReturn:
    raise NotJson(f"{name} is not JSON: give a number or null")


def _number(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise NotJson(f"{_shortened(text)} is too large for a number")
    return value


def _integer(text: str) -> int:
    if len(text) > _DIGITS:
        raise NotJson(f"{_shortened(text)} is too large for a number")
    return int(text)


def _shortened(text: str) -> str:
    return text if len(text) <= 20 else text[:20] + "..."


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for at, key in enumerate(keys) if key in keys[:at])
        raise NotJson(f"the key {twice!r} is given twice")
    return made


_DIGITS = 4_000
"""Python itself refuses to read integers a little longer than this."""
_DECODER = json.JSONDecoder(
    parse_constant=_no_constant,
    parse_float=_number,
    parse_int=_integer,
    object_pairs_hook=_pairs,
)
