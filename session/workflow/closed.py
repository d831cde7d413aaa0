"""Which values a field can have, as far as its type says: what a switch has to cover."""

from __future__ import annotations

import types
from dataclasses import is_dataclass
from enum import Enum
from typing import (
    Annotated,
    Any,
    Literal,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from ..canonical import Json

OPEN = None
"""The type does not say which values there are (a plain `str`, a number)."""


class NoSuchField(LookupError):
    """The path leads nowhere; the message names the part that is missing."""


def values_at(output: Any, path: str) -> list[Json] | None:
    """Give the JSON values that the field at `path` can have, or `OPEN`.

    Raises:
        NoSuchField: Where the output has no such field.
    """
    return _values(output, path.split("."))


def closed_values(hint: Any) -> list[Json] | None:
    """Give every JSON value of a `Literal`, `Enum`, `bool` or a union of them, else `OPEN`."""
    return _values(hint, [])


def _values(hint: Any, parts: list[str]) -> list[Json] | None:
    """Follow the path through each member of a union; None on the way is None at the end."""
    made: list[Json] = []
    for member in _members(hint):
        if member is types.NoneType:
            values: list[Json] | None = [None]
        elif parts:
            values = _values(_field(member, parts[0]), parts[1:])
        else:
            values = _closed(member)
        if values is OPEN:
            return OPEN
        made += [v for v in values if not among(v, made)]
    return made


def _closed(hint: Any) -> list[Json] | None:
    if get_origin(hint) is Literal:
        return [case_value(value) for value in get_args(hint)]
    if isinstance(hint, type) and issubclass(hint, Enum):
        return [case_value(member) for member in hint]
    return [True, False] if hint is bool else OPEN


def among(value: Json, values: list[Json]) -> bool:
    """True is not 1, which Python says and JSON does not."""
    return any(type(value) is type(other) and value == other for other in values)


def case_value(value: Any) -> Json:
    """Give a case as it looks in JSON: an Enum member by its value."""
    json: Json = value.value if isinstance(value, Enum) else value
    return json


def _members(hint: Any) -> list[Any]:
    """Give the types that a union is of, `Annotated` and type aliases taken off."""
    if get_origin(hint) is Annotated:
        return _members(get_args(hint)[0])
    if type(hint).__name__ == "TypeAliasType":  # `type X = ...`, of typing_extensions too
        return _members(hint.__value__)
    if get_origin(hint) in (Union, types.UnionType):
        return [member for arg in get_args(hint) for member in _members(arg)]
    return [hint]


def _field(hint: Any, part: str) -> Any:
    if hint is Any or get_origin(hint) is dict or hint is dict:
        args = get_args(hint)
        return args[1] if len(args) == 2 else Any
    fields = _fields(hint)
    name = getattr(hint, "__name__", str(hint))
    if fields is None:
        raise NoSuchField(f"{name} has no fields, so no {part!r}")
    if part not in fields:
        raise NoSuchField(f"{name} has no field {part!r} (it has: {', '.join(fields) or 'none'})")
    return fields[part]


def _fields(hint: Any) -> dict[str, Any] | None:
    model = getattr(hint, "model_fields", None)
    if isinstance(model, dict):
        return {name: field.annotation for name, field in model.items()}
    # `__total__`: also of typing_extensions' TypedDict, the one pydantic wants before 3.12.
    if isinstance(hint, type) and (is_dataclass(hint) or hasattr(hint, "__total__")):
        return get_type_hints(hint)
    return None
