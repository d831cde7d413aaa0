"""The JSON schema of an output model, made from text: what pydantic would make of the class.

It covers what output models are made of. Anything else is `Unsettled`, and only loading the
workflow tells; tests hold the two equal.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, Final

from .expr import Attr, Call, Const, Either, Expr, Items, Name, Subscript, Text
from .facts import Assign, Class, Field
from .module import Here, Outside
from .outputs import choices_of
from .types import Kind, fields_of, type_of, value_of

if TYPE_CHECKING:
    from .graph import NodeSource
    from .module import Module

_SIMPLE: Final = {
    "builtins.str": "string",
    "builtins.int": "integer",
    "builtins.float": "number",
    "builtins.bool": "boolean",
}
_LISTS: Final = frozenset(["builtins.list", "typing.List"])
_JSON_TYPES: Final = {str: "string", bool: "boolean", int: "integer", float: "number"}
_LIMITS: Final = {
    "ge": "minimum",
    "le": "maximum",
    "gt": "exclusiveMinimum",
    "lt": "exclusiveMaximum",
    "multiple_of": "multipleOf",
    "pattern": "pattern",
}
_LENGTHS: Final = {
    "string": {"min_length": "minLength", "max_length": "maxLength"},
    "array": {"min_length": "minItems", "max_length": "maxItems"},
}
_SILENT: Final = frozenset(["default_factory", "strip_whitespace"])
"""What changes nothing of the schema."""
_SILENT_CONFIG: Final = frozenset(["frozen", "strict", "str_strip_whitespace"])
_DEEPEST: Final = 20


class Unsettled(Exception):
    """Only loading the workflow tells."""


def schema_of_node(module: Module, node: NodeSource) -> dict[str, Any] | None:
    """Give the schema that an answer to the node has to fit, None where there is none.

    Raises:
        Unsettled: Where text does not tell.
    """
    if node.open:
        raise Unsettled
    if node.kind == "decision":
        return _decision(module, node)
    given = node.setting("output")
    none = given is None or (isinstance(given, Const) and given.value is None)
    if node.kind not in {"agent", "checkpoint"} or given is None or none:
        return None
    meaning = module.meaning(given)
    if not isinstance(meaning, Here):
        raise Unsettled
    return _Maker().model(meaning)


def input_schema(module: Module, given: Expr) -> dict[str, Any]:
    """Give the schema of a workflow's input."""
    meaning = module.meaning(given)
    if not isinstance(meaning, Here):
        raise Unsettled
    return _Maker().model(meaning)


def _decision(module: Module, node: NodeSource) -> dict[str, Any]:
    choices = choices_of(module, node)
    if not choices:
        raise Unsettled
    return {
        "additionalProperties": False,
        "properties": {"choice": _closed(choices), "reason": {"type": "string"}},
        "required": ["choice", "reason"],
        "type": "object",
    }


def _closed(values: tuple[Any, ...]) -> dict[str, Any]:
    made: dict[str, Any] = {"const": values[0]} if len(values) == 1 else {"enum": list(values)}
    kinds = {_JSON_TYPES.get(type(value)) for value in values}
    if len(kinds) == 1 and None not in kinds:
        made["type"] = kinds.pop()
    return made


class _Maker:
    """One schema, with the models and enums that it refers to."""

    def __init__(self) -> None:
        self.shared: dict[str, Any] = {}
        self.depth = 0

    def model(self, home: Here) -> dict[str, Any]:
        made = self._object(home)
        return {"$defs": self.shared, **made} if self.shared else made

    def _object(self, home: Here) -> dict[str, Any]:
        fact = home.fact
        fields = fields_of(home)
        settled = isinstance(fact, Class) and fields and not fact.others
        self.depth += 1
        if not settled or fields is None or self.depth > _DEEPEST:
            raise Unsettled
        assert isinstance(fact, Class)
        made: dict[str, Any] = {"additionalProperties": False} if _forbids(home) else {}
        if fact.doc:
            made["description"] = inspect.cleandoc(fact.doc)
        made["properties"] = {name: self._field(*each) for name, each in fields.items()}
        required = [name for name, (owner, field) in fields.items() if _required(owner, field)]
        if required:
            made["required"] = required
        self.depth -= 1
        return made | {"type": "object"}

    def _field(self, home: Here, field: Field) -> dict[str, Any]:
        made = self.of(home.module, field.annotation)
        default = field.default
        if isinstance(default, Call):
            return self._described(home.module, made, default, ".Field")
        if default is not None:
            made["default"] = _default(home.module, default)
        return made

    def _described(
        self, module: Module, made: dict[str, Any], call: Call, *makers: str
    ) -> dict[str, Any]:
        """Add what `Field(...)` or `StringConstraints(...)` says."""
        meaning = module.meaning(call.fn)
        if not isinstance(meaning, Outside) or not meaning.name.endswith(makers) or call.open:
            raise Unsettled
        lengths = _LENGTHS.get(str(made.get("type")), {})
        for keyword in call.keywords:
            name = keyword.name
            if name in _SILENT:
                continue
            known = value_of(module, keyword.value)
            key = {"description": "description", "default": "default"}.get(name)
            key = key or lengths.get(name) or (_LIMITS.get(name) if "type" in made else None)
            if known is None or key is None:
                raise Unsettled
            made[key] = known[0]
        if call.args and not _ellipsis(call.args[0]):
            made["default"] = _default(module, call.args[0])
        return made

    def of(self, module: Module, annotation: Expr) -> dict[str, Any]:
        """Give the schema of an annotation."""
        match annotation:
            case Either(left=left, right=right):
                return self._any_of(module, left, right)
            case Name() | Attr():
                return self._named(module, annotation)
            case Subscript(base=base, items=items):
                return self._generic(module, annotation, base, items)
            case _:
                raise Unsettled

    def _any_of(self, module: Module, *sides: Expr) -> dict[str, Any]:
        flat: list[dict[str, Any]] = []
        for side in sides:
            none = isinstance(side, Const) and side.value is None
            inner: dict[str, Any] = {"type": "null"} if none else self.of(module, side)
            flat += inner["anyOf"] if set(inner) == {"anyOf"} else [inner]
        return {"anyOf": flat}

    def _named(self, module: Module, annotation: Expr) -> dict[str, Any]:
        meaning = module.meaning(annotation)
        if isinstance(meaning, Outside):
            if meaning.name not in _SIMPLE:
                raise Unsettled
            return {"type": _SIMPLE[meaning.name]}
        if not isinstance(meaning, Here):
            raise Unsettled
        match meaning.fact:
            case Assign(value=value):
                return self.of(meaning.module, value)
            case Class():
                return self._shared(meaning)
            case _:
                raise Unsettled

    def _shared(self, home: Here) -> dict[str, Any]:
        fact = home.fact
        assert isinstance(fact, Class)
        if fact.name not in self.shared:
            self.shared[fact.name] = {}
            self.shared[fact.name] = self._enum(home, fact) or self._object(home)
            self.shared = dict(sorted(self.shared.items()))
        return {"$ref": f"#/$defs/{fact.name}"}

    def _enum(self, home: Here, fact: Class) -> dict[str, Any] | None:
        closed = type_of(home.module, Name((0, 0), fact.name))
        if closed.kind is not Kind.CLOSED:
            return None
        described = {"description": inspect.cleandoc(fact.doc)} if fact.doc else {}
        return described | _closed(closed.values)

    def _generic(
        self, module: Module, annotation: Expr, base: Expr, items: tuple[Expr, ...]
    ) -> dict[str, Any]:
        meaning = module.meaning(base)
        name = meaning.name if isinstance(meaning, Outside) else ""
        if name in _LISTS and len(items) == 1:
            return {"items": self.of(module, items[0]), "type": "array"}
        if name == "builtins.dict" and len(items) == 2 and type_of(module, items[0]).name == "str":
            return {"additionalProperties": self.of(module, items[1]), "type": "object"}
        if name == "typing.Annotated":
            made = self.of(module, items[0])
            for each in items[1:]:
                if not isinstance(each, Call):
                    raise Unsettled
                made = self._described(module, made, each, ".Field", ".StringConstraints")
            return made
        if name == "typing.Optional":
            return self._any_of(module, items[0], Const((0, 0), None))
        if name == "typing.Union":
            return self._any_of(module, *items)
        closed = type_of(module, annotation)
        if closed.kind is Kind.CLOSED and name.endswith(".Literal"):
            return _closed(closed.values)
        raise Unsettled


def _forbids(home: Here, depth: int = 0) -> bool:
    """Whether a model, or a base of it, says `extra="forbid"` and nothing else that matters."""
    fact = home.fact
    if not isinstance(fact, Class) or depth > _DEEPEST:
        raise Unsettled
    forbids = False
    for base in fact.bases:
        meaning = home.module.meaning(base)
        forbids = forbids or (isinstance(meaning, Here) and _forbids(meaning, depth + 1))
    for member in fact.members:
        call = member.value
        if member.name != "model_config" or not isinstance(call, Call) or call.open or call.args:
            raise Unsettled
        for keyword in call.keywords:
            known = value_of(home.module, keyword.value)
            if keyword.name == "extra" and known is not None:
                forbids = known[0] == "forbid"
            elif keyword.name not in _SILENT_CONFIG:
                raise Unsettled
    return forbids


def _required(_owner: Here, field: Field) -> bool:
    default = field.default
    if not isinstance(default, Call):
        return default is None
    given = {keyword.name for keyword in default.keywords} & {"default", "default_factory"}
    return not given and (not default.args or _ellipsis(default.args[0]))


def _ellipsis(expr: Expr) -> bool:
    return not isinstance(expr, Text | Const | Name | Attr | Items) and expr.span[1] > 0


def _default(module: Module, expr: Expr) -> Any:
    if isinstance(expr, Items) and not expr.items:
        return []
    known = value_of(module, expr)
    if known is None:
        raise Unsettled
    return known[0]
