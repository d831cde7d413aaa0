"""What a value can be, as far as annotations in the text say."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Final, TypeAlias

from .expr import Attr, Call, Const, Either, Expr, Name, Subscript, Text
from .expressions import Reader
from .facts import Assign, Class, Field, Member
from .module import Here, Module, Outside
from .syntax import parse

if TYPE_CHECKING:
    from collections.abc import Iterator

Json: TypeAlias = str | bool | int | float | None


class Kind(StrEnum):
    CLOSED = "closed"
    """A field with known values: Literal, Enum, bool."""
    MODEL = "model"
    TEXT = "text"
    MAP = "map"
    PLAIN = "plain"
    """A type without fields and without known values."""
    NOTHING = "nothing"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Type:
    """A type. `spelled` gives the Python text of each closed value."""

    kind: Kind
    name: str = ""
    values: tuple[Json, ...] = ()
    spelled: tuple[str, ...] = ()
    nullable: bool = False
    constrained: bool = False
    home: Here | None = None
    item: Type | None = None

    def cases(self) -> tuple[tuple[Json, str], ...]:
        """Give each value that a switch has to cover, and how to write it."""
        shown = tuple(zip(self.values, self.spelled, strict=True))
        return (*shown, (None, "None")) if self.nullable else shown


UNKNOWN: Final = Type(Kind.UNKNOWN)
NOTHING: Final = Type(Kind.NOTHING, "None")
TEXT: Final = Type(Kind.TEXT, "str")

_PLAIN: Final = frozenset("int float complex bytes list tuple set frozenset".split())
_ENUMS: Final = frozenset(f"enum.{name}" for name in ("Enum", "StrEnum", "IntEnum"))
_TYPING: Final = ("typing.", "typing_extensions.")
_STRUCTURE: Final = 20


def literal(values: tuple[Json, ...]) -> Type:
    return Type(Kind.CLOSED, "Literal", values, tuple(_spell(value) for value in values))


def _spell(value: Json) -> str:
    """Give the value's Python text, in double quotes as most people write."""
    if not isinstance(value, str):
        return repr(value)
    return f'"{value}"' if value.isprintable() and not set(value) & {'"', "\\"} else repr(value)


def type_of(module: Module, expr: Expr, depth: int = 0) -> Type:
    """Give the type that an annotation stands for."""
    if depth > _STRUCTURE:
        return UNKNOWN
    match expr:
        case Const(value=None):
            return NOTHING
        case Text(value=value):
            return _quoted(module, value, depth)
        case Either(left=left, right=right):
            return _union(module, (left, right), depth)
        case Name() | Attr():
            return _named(module, expr, depth)
        case Subscript(base=base, items=items):
            return _subscript(module, base, items, depth)
        case _:
            return UNKNOWN


def _quoted(module: Module, value: str, depth: int) -> Type:
    data = value.encode()
    root = parse(data).root_node
    if root.has_error or root.named_child_count != 1:
        return UNKNOWN
    children = root.named_children[0].named_children
    return type_of(module, Reader(data, 0).read(children[0]), depth + 1) if children else UNKNOWN


def _union(module: Module, items: tuple[Expr, ...], depth: int) -> Type:
    types = [type_of(module, item, depth + 1) for item in items]
    rest = [each for each in types if each.kind is not Kind.NOTHING]
    if len(rest) != 1:
        return UNKNOWN
    return replace(rest[0], nullable=rest[0].nullable or len(rest) < len(types))


def _named(module: Module, expr: Expr, depth: int) -> Type:
    meaning = module.meaning(expr)
    if isinstance(meaning, Outside):
        return _outside(meaning.name)
    if not isinstance(meaning, Here):
        return UNKNOWN
    match meaning.fact:
        case Class():
            return _class(meaning)
        case Assign(value=value):
            return type_of(meaning.module, value, depth + 1)
        case _:
            return UNKNOWN


def _outside(name: str) -> Type:
    last = name.rpartition(".")[2]
    if name == "builtins.bool":
        return Type(Kind.CLOSED, "bool", (True, False), ("True", "False"))
    if name == "builtins.str":
        return TEXT
    if name == "builtins.dict":
        return Type(Kind.MAP, "dict", item=UNKNOWN)
    if name.startswith("builtins.") and last in _PLAIN:
        return Type(Kind.PLAIN, last)
    if name.startswith("segue.") and last == "ShellResult":
        return SHELL_RESULT
    return UNKNOWN


def _subscript(module: Module, base: Expr, items: tuple[Expr, ...], depth: int) -> Type:
    meaning = module.meaning(base)
    if not isinstance(meaning, Outside) or not items:
        return UNKNOWN
    name = meaning.name
    if name.startswith(_TYPING):
        match name.partition(".")[2]:
            case "Literal":
                return _literal(module, items)
            case "Optional":
                return replace(type_of(module, items[0], depth + 1), nullable=True)
            case "Union":
                return _union(module, items, depth)
            case "Annotated":
                return replace(type_of(module, items[0], depth + 1), constrained=True)
            case _:
                return UNKNOWN
    if name == "builtins.dict" and len(items) == 2:
        return Type(Kind.MAP, "dict", item=type_of(module, items[1], depth + 1))
    last = name.rpartition(".")[2]
    return Type(Kind.PLAIN, last) if name.startswith("builtins.") and last in _PLAIN else UNKNOWN


def _literal(module: Module, items: tuple[Expr, ...]) -> Type:
    values: list[Json] = []
    spelled: list[str] = []
    for item in items:
        known = value_of(module, item)
        if known is not None:
            values.append(known[0])
            spelled.append(known[1])
            continue
        inner = type_of(module, item)
        if inner.kind is not Kind.CLOSED:
            return UNKNOWN
        values += inner.values
        spelled += inner.spelled
    return Type(Kind.CLOSED, "Literal", tuple(values), tuple(spelled))


def _class(home: Here) -> Type:
    fact = home.fact
    assert isinstance(fact, Class)
    bases = [_base(home.module, base) for base in fact.bases]
    if any(base in _ENUMS for base in bases):
        return _enum(home, fact, bases)
    return Type(Kind.MODEL, fact.name, home=home) if is_model(home) else UNKNOWN


def _base(module: Module, expr: Expr) -> str:
    meaning = module.meaning(expr)
    return meaning.name if isinstance(meaning, Outside) else ""


def is_model(home: Here, depth: int = 0) -> bool:
    """Whether a class is a pydantic model, by way of classes whose text is known."""
    fact = home.fact
    if not isinstance(fact, Class) or depth > _STRUCTURE:
        return False
    for base in fact.bases:
        meaning = home.module.meaning(base)
        if isinstance(meaning, Outside) and meaning.name.startswith("pydantic."):
            return meaning.name.endswith(".BaseModel")
        if isinstance(meaning, Here) and is_model(meaning, depth + 1):
            return True
    return False


def _enum(home: Here, fact: Class, bases: list[str]) -> Type:
    values: list[Json] = []
    members = [each for each in fact.members if not each.name.startswith("_")]
    for count, member in enumerate(members, 1):
        known, value = _member(home.module, member, bases, count)
        if not known:
            return UNKNOWN
        values.append(value)
    spelled = tuple(f"{fact.name}.{member.name}" for member in members)
    return Type(Kind.CLOSED, fact.name, tuple(values), spelled, home=home)


def _member(module: Module, member: Member, bases: list[str], count: int) -> tuple[bool, Json]:
    match member.value:
        case Text(value=text):
            return True, text
        case Const(value=value):
            return True, value
        case Call(fn=fn, args=()) if _base(module, fn) == "enum.auto":
            if "enum.StrEnum" in bases:
                return True, member.name.lower()
            return len(bases) == 1, count
        case _:
            return False, None


def value_of(module: Module, expr: Expr) -> tuple[Json, str] | None:
    """Give a constant's value and its Python text: a literal, an Enum member, a name of one."""
    match expr:
        case Text(value=value) | Const(value=value):
            return value, _spell(value)
        case Attr(base=base, name="value"):
            return value_of(module, base)
        case Attr(base=base, name=name):
            owner = _named(module, base, 0)
            spelled = f"{owner.name}.{name}"
            if owner.kind is Kind.CLOSED and spelled in owner.spelled:
                return owner.values[owner.spelled.index(spelled)], spelled
            return None
        case Name(id=name):
            meaning = module.of_name(name)
            if isinstance(meaning, Here) and isinstance(meaning.fact, Assign):
                bound = meaning.fact.value
                return None if isinstance(bound, Name) else value_of(meaning.module, bound)
            return None
        case _:
            return None


def fields_of(home: Here, depth: int = 0) -> dict[str, tuple[Here, Field]] | None:
    """Give a model's fields by name, inherited ones first; None where a base is not known."""
    fact = home.fact
    if not isinstance(fact, Class) or depth > _STRUCTURE or fact.decorators:
        return None
    found: dict[str, tuple[Here, Field]] = {}
    for base in reversed(fact.bases):
        meaning = home.module.meaning(base)
        if isinstance(meaning, Here):
            inherited = fields_of(meaning, depth + 1)
            if inherited is None:
                return None
            found |= inherited
        elif not isinstance(meaning, Outside) or meaning.name != "pydantic.BaseModel":
            return None
    return found | {each.name: (home, each) for each in fact.fields if _is_field(each)}


def _is_field(field: Field) -> bool:
    annotation = field.annotation
    base = annotation.base if isinstance(annotation, Subscript) else annotation
    name = base.name if isinstance(base, Attr) else base.id if isinstance(base, Name) else ""
    return name != "ClassVar" and not field.name.startswith("_") and field.name != "model_config"


def field_type(home: Here, field: Field) -> Type:
    """Give a field's type; limits in `Field(...)` make it constrained."""
    found = type_of(home.module, field.annotation)
    limited = isinstance(field.default, Call) and any(
        keyword.name in _LIMITS for keyword in field.default.keywords
    )
    return replace(found, constrained=True) if limited else found


_LIMITS: Final = frozenset(["min_length", "pattern", "max_length", "strip_whitespace"])


def others_of(home: Here) -> Iterator[str]:
    """Give what else the class and its known bases bind: properties, validators."""
    fact = home.fact
    if isinstance(fact, Class):
        yield from fact.others
        for base in fact.bases:
            meaning = home.module.meaning(base)
            if isinstance(meaning, Here):
                yield from others_of(meaning)


SHELL_RESULT: Final = Type(Kind.MODEL, "ShellResult")
DECISION: Final = Type(Kind.MODEL, "Decision")
HUMAN_DECISION: Final = Type(Kind.MODEL, "HumanDecision")
OWN_FIELDS: Final = {
    "ShellResult": {
        "stdout": TEXT,
        "stderr": TEXT,
        "exit_code": Type(Kind.PLAIN, "int"),
        "stdout_dropped": Type(Kind.PLAIN, "int"),
        "stderr_dropped": Type(Kind.PLAIN, "int"),
    },
    "Decision": {"choice": TEXT, "reason": TEXT},
    "HumanDecision": {
        "choice": TEXT,
        "text": replace(TEXT, nullable=True),
        "provenance": literal(("human", "timeout", "policy")),
    },
}
"""Fields of the output models that Segue itself defines; a test holds them equal."""
