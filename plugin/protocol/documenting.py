"""Makes `docs/protocol.schema.json` and the tables of `docs/PROTOCOL.md` from the models."""

from __future__ import annotations

import json
import types
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

from pydantic import BaseModel, TypeAdapter

from . import VERSION
from .base import Message, Nothing
from .palette import PaletteArguments, PaletteResult
from .table import TABLE
from .view import View

_SIMPLE: Final = {str: "text", int: "integer", float: "number", bool: "boolean", Any: "JSON"}


def schema() -> dict[str, Any]:
    """Give one JSON Schema with every method's parameters and result."""
    models: list[tuple[str, Literal["validation", "serialization"], TypeAdapter[Any]]] = []
    methods: dict[str, Any] = {}
    for method, entry in TABLE.items():
        made: dict[str, Any] = {"sender": entry.sender, "params": entry.params.__name__}
        if entry.result is not None:
            made["result"] = View.__name__ if entry.result is dict else entry.result.__name__
        methods[method] = made
    for model in _models():
        models.append((model.__name__, "validation", TypeAdapter(model)))
    _, defs = TypeAdapter.json_schemas(models, ref_template="#/$defs/{model}", by_alias=True)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "segue/*",
        "protocol": VERSION,
        "methods": methods,
        "$defs": dict(sorted(defs["$defs"].items())),
    }


def _models() -> list[type[BaseModel]]:
    found: dict[str, type[BaseModel]] = {}
    for entry in TABLE.values():
        for model in (entry.params, View if entry.result is dict else entry.result):
            if model is not None:
                found[model.__name__] = model
    return [*found.values(), PaletteArguments, PaletteResult]


def schema_text() -> str:
    return json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"


def methods_table(sender: Literal["client", "server"]) -> str:
    """Give one section a method: what it is, its parameters, its result."""
    parts = []
    for method, entry in TABLE.items():
        if entry.sender == sender:
            parts.append(_method(method, entry.params, entry.result, nullable=entry.nullable))
    return "\n\n".join(parts)


def _method(method: str, params: type[Message], result: Any, *, nullable: bool) -> str:
    kind = "notification" if result is None else "request"
    lines = [f"### `{method}` ({kind})", "", _doc(params), "", model_table(params)]
    if result is dict:
        lines += ["", 'Result: the view below, or `{"run": null}`.']
    elif result is Nothing:
        lines += ["", "Result: `{}`."]
    elif result is not None:
        lines += ["", f"Result{', or null' if nullable else ''}: {_doc(result)}", ""]
        lines.append(model_table(result))
    return "\n".join(lines)


def _doc(model: type[BaseModel]) -> str:
    return " ".join((model.__doc__ or "").split())


def model_table(model: type[BaseModel]) -> str:
    """Give a model's fields as a table."""
    rows = ["| field | type | | meaning |", "| --- | --- | --- | --- |"]
    for name, field in model.model_fields.items():
        needed = "" if field.is_required() else f"default {_default(field.get_default())}"
        said = field.description or _meaning(field.annotation)
        shown = field.alias or name
        rows.append(f"| `{shown}` | {type_name(field.annotation)} | {needed} | {said} |")
    return "\n".join(rows)


def _default(value: Any) -> str:
    if isinstance(value, BaseModel):
        return "all of it"
    return f"`{json.dumps(value)}`"


def _meaning(annotation: Any) -> str:
    for part in (annotation, *get_args(annotation)):
        if isinstance(part, type) and issubclass(part, BaseModel):
            return _doc(part)
    return ""


def type_name(annotation: Any) -> str:
    """Give a type in the words of the page."""
    origin, args = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return type_name(args[0])
    if origin is Literal:
        return " \\| ".join(f"`{value}`" for value in args)
    if origin in (Union, types.UnionType):
        return " or ".join("null" if arg is type(None) else type_name(arg) for arg in args)
    if origin is list:
        return f"list of {type_name(args[0])}"
    if origin is dict:
        return "object"
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation.__name__
    return _SIMPLE.get(annotation, "JSON")


def tables() -> dict[str, str]:
    """Give every part of the page that is made from the code, by its name."""
    from . import calls, hello, told
    from .base import Session
    from .view import NodeView, ProgressView, RequestView, StepView

    made = {"client": methods_table("client"), "server": methods_table("server")}
    hellos = (hello.VerbInfo, hello.WorkflowInfo, hello.ToolInfo)
    shared = (Session, hello.Abilities, told.Findings, calls.OfferedMessage, *hellos)
    made["shared"] = "\n\n".join(_section(model) for model in (*shared, calls.CompleteItem))
    views = (View, NodeView, StepView, RequestView, ProgressView)
    made["view"] = "\n\n".join(_section(model) for model in views)
    made["palette"] = model_table(PaletteArguments) + "\n\nResult:\n\n" + model_table(PaletteResult)
    return made


def _section(model: type[BaseModel]) -> str:
    return f"### {model.__name__}\n\n{_doc(model)}\n\n{model_table(model)}"
