"""Turns the words after a workflow's name into its input."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import InputInvalid

if TYPE_CHECKING:
    from ..canonical import Json


def from_text(schema: dict[str, Any] | None, name: str, text: str) -> Json:
    """Put free text into `task`, else into the only required string field.

    Raises:
        InputInvalid: Where neither is there; names the fields.
    """
    properties: dict[str, Any] = (schema or {}).get("properties", {})
    if not properties:
        raise InputInvalid(f"workflow '{name}' takes no input: leave the text away")
    if "task" in properties:
        return {"task": text}
    required = [
        key
        for key in (schema or {}).get("required", [])
        if properties.get(key, {}).get("type") == "string"
    ]
    if len(required) == 1:
        return {required[0]: text}
    fields = ", ".join(properties)
    raise InputInvalid(
        f"workflow '{name}' cannot take free text: no field `task` and not one required text"
        f" field (fields: {fields}); use --input-json"
    )


def example(schema: dict[str, Any] | None) -> str:
    """Give input JSON with every required field, for messages."""
    properties: dict[str, Any] = (schema or {}).get("properties", {})
    wanted = (schema or {}).get("required", [])
    return "{" + ", ".join(f'"{key}": {_sample(properties.get(key, {}))}' for key in wanted) + "}"


def _sample(schema: dict[str, Any]) -> str:
    samples = {"integer": "1", "number": "1", "boolean": "true", "array": "[]", "object": "{}"}
    return samples.get(schema.get("type", ""), '"..."')
