"""What an answer has to fit, and what exactly was wrong when it does not.

The one place that calls pydantic on values, and only for one that needs it: importing it takes
longer than all the rest of a worker's start. A rejection names the path, what was expected and
what was received, in the words of JSON: the model that reads it has never seen the Python.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from ..canonical import Json, compact

if TYPE_CHECKING:
    from pydantic import TypeAdapter, ValidationError

_SHOWN = 200
"""Characters of a received value that a rejection repeats."""
_PLAIN = (int, bool, str)
"""Types whose exact instances are JSON as they are."""
_PROBLEMS = 12
"""Problems that one rejection lists: enough to repair an answer in one go."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that does not fit."""

    path: str
    expected: str
    received: str

    def __str__(self) -> str:
        return f"{self.path}: expected {self.expected}; received {self.received}"


class Rejected(ValueError):
    """The value does not fit; `problems` say where."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        super().__init__("; ".join(str(problem) for problem in problems))
        self.problems = problems


@cache
def _hashable_adapter(hint: Any) -> TypeAdapter[Any]:
    from pydantic import TypeAdapter

    return TypeAdapter(hint)


def adapter(hint: Any) -> TypeAdapter[Any]:
    """Give the validator of a type, made once."""
    try:
        return _hashable_adapter(hint)
    except TypeError:  # an unhashable annotation
        from pydantic import TypeAdapter

        return TypeAdapter(hint)


def schema_of(model: Any) -> dict[str, Json] | None:
    """Give the JSON schema that the model sees; None where anything goes."""
    if model is None or model is Any:
        return None
    return adapter(model).json_schema()


def accept(model: Any, value: Json) -> Json:
    """Validate an answer and give it as stored.

    Raises:
        Rejected: With each problem.
    """
    if model is None:
        return None
    if model is Any:
        return value
    from pydantic import ValidationError

    try:
        # By way of JSON text: only that knows dates, enums and tuples as JSON spells them.
        typed = adapter(model).validate_json(compact(value))
    except ValidationError as error:
        raise Rejected(_problems(error, value)) from error
    return dump(model, typed)


def dump(model: Any, typed: Any) -> Json:
    """Give the JSON value of a callback's result.

    Raises:
        TypeError: For what is not JSON, saying where.
    """
    return dumped(model, typed)[0]


def dumped(model: Any, typed: Any) -> tuple[Json, str]:
    """Give the JSON value of a callback's result and its text; raises as `dump` does."""
    if type(typed) is model and model in _PLAIN and (model is not str or typed.isascii()):
        return typed, compact(typed)
    hint = Any if model is None else model
    try:
        # `round_trip`: what is stored has to fit again, so computed fields stay out of it.
        value: Json = adapter(hint).dump_python(
            typed, mode="json", round_trip=True, warnings="error"
        )
        text = compact(value)
        text.encode()  # half of a surrogate pair is in no JSON text
        if "null" in text:  # pydantic writes NaN and infinity as null
            _check_finite(adapter(hint).dump_python(typed))
    except Exception as error:
        raise TypeError(_unfit(" ".join(str(error).split()))) from error
    return value, text


_UNEXPECTED = re.compile(
    r"Expected `([^`]+)`.*?\[(?:field_name='([^']+)', )?input_value=(.*?), input_type=(\w+)\]"
)


def _unfit(said: str) -> str:
    """Say in one line what pydantic says of a value that is not what its type promises."""
    found = _UNEXPECTED.search(said)
    if found is None:
        return f"the output is not JSON: {said}"
    want, field, value, kind = found.groups()
    place = f" at '{field}'" if field else ""
    return f"the output does not fit its type{place}: expected {want}; received {value} ({kind})"


def _check_finite(value: Any) -> None:
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{value} is no number in JSON")
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, (list, tuple, set, frozenset)):
        return
    for item in value:
        _check_finite(item)


def revive(model: Any, value: Json) -> Any:
    """Give the typed value of a stored one."""
    if model is None or model is Any or (type(value) is model and model in _PLAIN):
        return value
    # Stored under the fields' own names, whatever alias the model was shown.
    return adapter(model).validate_json(compact(value), by_alias=True, by_name=True)


def _problems(error: ValidationError, value: Json) -> tuple[Problem, ...]:
    listed = error.errors(include_url=False, include_context=True)
    made = [_problem(item, value) for item in listed[:_PROBLEMS]]
    if len(listed) > _PROBLEMS:
        made.append(Problem("(more)", f"{len(listed) - _PROBLEMS} further problems", "not listed"))
    return tuple(made) or (Problem("(whole)", "a value that fits", shown(value)),)


def _problem(item: Any, value: Json) -> Problem:
    kind, context = item["type"], item.get("ctx", {})
    path = _path(item["loc"], value, missing=kind == "missing")
    received = "nothing" if kind == "missing" else shown(item["input"])
    return Problem(path or "(whole)", _expected(kind, context, item["msg"]), received)


def _path(loc: tuple[int | str, ...], value: Any, *, missing: bool) -> str:
    """Give a place in the answer; what pydantic adds of Python's types is left out."""
    path = ""
    for at, part in enumerate(loc):
        if isinstance(part, int) and isinstance(value, list):
            path += f"[{part}]"
            value = value[part] if part < len(value) else None
        elif isinstance(value, dict) and part in value:
            path += f".{part}"
            value = value[part]
        elif missing and at == len(loc) - 1:
            path += f".{part}"
    return path.removeprefix(".")


def _expected(kind: str, context: dict[str, Any], message: str) -> str:
    if kind == "missing":
        return "a value (the field is required)"
    if kind == "extra_forbidden":
        return "no such field"
    if kind in ("literal_error", "enum"):
        return "one of " + _choices(str(context.get("expected", "")))
    text = message.removeprefix("Input should be ").removeprefix("Value error, ")
    return text[:1].lower() + text[1:]


def _choices(expected: str) -> str:
    """Turn pydantic's list of choices, spelled as in Python, into JSON's spelling."""
    head, _, last = expected.rpartition(" or ")
    if head and head.count("'") % 2 == 0:  # not inside a choice's own text
        expected = f"{head}, {last}"
    words = {"True": "true", "False": "false", "None": "null"}
    return ", ".join(words.get(choice, choice.replace("'", '"')) for choice in expected.split(", "))


def shown(value: Any) -> str:
    """Give a received value as JSON with its kind, cut to a readable length."""
    try:
        text = compact(value)
    except (TypeError, ValueError):
        text = repr(value)
    if len(text) > _SHOWN:
        text = text[:_SHOWN] + "..."
    return f"{text} ({_kind(value)})"


def _kind(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int() | float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
        case _:
            return "object"
