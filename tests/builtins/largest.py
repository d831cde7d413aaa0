"""The largest value that a JSON schema lets through, and whether it bounds everything."""

from __future__ import annotations

import json
from typing import Any

FILL = "All the text that there is room for. "


def largest(schema: dict[str, Any]) -> Any:
    """Give a value with every field there and every text and list at its limit."""
    return _value(schema, schema.get("$defs", {}), 0)


def _value(schema: dict[str, Any], defs: dict[str, Any], number: int) -> Any:
    if "$ref" in schema:
        return _value(defs[schema["$ref"].rpartition("/")[2]], defs, number)
    options = schema.get("anyOf") or schema.get("oneOf")
    if options:
        made = [_value(option, defs, number) for option in options]
        return max(made, key=lambda value: len(json.dumps(value)))
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][number % len(schema["enum"])]
    match schema.get("type"):
        case "object":
            fields = schema.get("properties", {})
            return {name: _value(field, defs, number) for name, field in fields.items()}
        case "array":
            return [_value(schema["items"], defs, at) for at in range(schema["maxItems"])]
        case "string":
            return _text(schema, number)
        case "integer":
            return schema["maximum"]
        case _:
            return None


def _text(schema: dict[str, Any], number: int) -> str:
    most: int = schema["maxLength"]
    if "pattern" in schema:  # an id or a ref: no spaces
        return f"n{number}".ljust(most, "x")
    return (f"{number}. " + FILL * (most // len(FILL) + 1))[: most - 1] + "."


def unbounded(schema: dict[str, Any]) -> list[str]:
    """Give the places of a schema where a value could be of any size."""
    found: list[str] = []
    for name, part in {"": schema, **schema.get("$defs", {})}.items():
        for at, field in part.get("properties", {}).items():
            found += [f"{name}.{at}{rest}" for rest in _open(field)]
    return found


def _open(field: dict[str, Any]) -> list[str]:
    if "enum" in field or "const" in field or "$ref" in field:
        return []
    options = field.get("anyOf") or field.get("oneOf")
    if options:
        return [rest for option in options for rest in _open(option)]
    kind = field.get("type")
    if kind == "array":
        inner = [f"[]{rest}" for rest in _open(field["items"])]
        return inner if "maxItems" in field else ["[]", *inner]
    limit = {"string": "maxLength", "integer": "maximum", "number": "maximum"}.get(kind or "")
    if kind in ("null", "boolean"):
        return []
    return [] if limit is not None and limit in field else [""]
