"""What a node's output is, and what the field is that a switch rests on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from .expr import Const, Expr, Items, Name, Text
from .facts import Assign, Def
from .module import Here, Module
from .types import (
    DECISION,
    HUMAN_DECISION,
    NOTHING,
    OWN_FIELDS,
    SHELL_RESULT,
    TEXT,
    UNKNOWN,
    Kind,
    Type,
    field_type,
    fields_of,
    literal,
    others_of,
    type_of,
)

if TYPE_CHECKING:
    from .graph import ExitSource, NodeSource

_OWN: Final = {"decision": DECISION, "human_decision": HUMAN_DECISION}


def output_of(module: Module, node: NodeSource) -> Type:
    """Give the type of a node's output."""
    if node.open:
        return UNKNOWN
    match node.kind:
        case "agent":
            return _model(module, node, NOTHING)
        case "checkpoint":
            return _model(module, node, TEXT)
        case "assistant" | "notify":
            return TEXT
        case "wait":
            return NOTHING
        case "decision" | "human_decision":
            return _OWN[node.kind]
        case "shell":
            return _parsed(module, node)
        case _:
            return _returned(module, node)


def _model(module: Module, node: NodeSource, without: Type) -> Type:
    given = node.setting("output")
    if given is None or (isinstance(given, Const) and given.value is None):
        return without
    return type_of(module, given)


def _returned(module: Module, node: NodeSource) -> Type:
    returns = node.callbacks[0].returns
    return UNKNOWN if returns is None else type_of(module, returns)


def _parsed(module: Module, node: NodeSource) -> Type:
    given = node.setting("parse")
    if given is None or (isinstance(given, Const) and given.value is None):
        return SHELL_RESULT
    meaning = module.meaning(given)
    if isinstance(meaning, Here) and isinstance(meaning.fact, Def):
        returns = meaning.fact.returns
        return UNKNOWN if returns is None else type_of(meaning.module, returns)
    return UNKNOWN


def exit_output(module: Module, made: ExitSource) -> Type:
    return UNKNOWN if made.output is None else type_of(module, made.output)


def choices_of(module: Module, node: NodeSource) -> tuple[str, ...] | None:
    """Give a decision's choices, None where text does not settle them."""
    return words_of(module, node.setting("choices"))


def words_of(module: Module, expr: Expr | None) -> tuple[str, ...] | None:
    """Give the texts of a list of texts, or of a name for one."""
    if isinstance(expr, Name):
        meaning = module.of_name(expr.id)
        if not isinstance(meaning, Here) or not isinstance(meaning.fact, Assign):
            return None
        expr = meaning.fact.value
    if not isinstance(expr, Items) or expr.open:
        return None
    words = [item.value for item in expr.items if isinstance(item, Text)]
    return tuple(words) if len(words) == len(expr.items) else None


@dataclass(frozen=True)
class NoField:
    """A path that leads nowhere: the part that is missing, and what there is instead."""

    part: str
    owner: str
    fields: tuple[str, ...]


def field_at(output: Type, path: str, choices: tuple[str, ...] | None) -> Type | NoField:
    """Follow a field path. `choices` are those of a decision, which narrow its `choice`."""
    here, nullable = output, False
    for part in path.split("."):
        nullable = nullable or here.nullable
        found = _step(here, part)
        if isinstance(found, NoField) or found.kind is Kind.UNKNOWN:
            return found
        if part == "choice" and here.name in {"Decision", "HumanDecision"} and here.home is None:
            found = literal(choices) if choices else UNKNOWN
        here = found
    return replace(here, nullable=here.nullable or nullable)


def _step(here: Type, part: str) -> Type | NoField:
    if here.kind is Kind.UNKNOWN:
        return UNKNOWN
    if here.kind is Kind.MAP:
        return here.item or UNKNOWN
    if here.kind is not Kind.MODEL:
        return NoField(part, here.name, ())
    if here.home is None:
        own = OWN_FIELDS[here.name]
        return own.get(part) or NoField(part, here.name, tuple(own))
    fields = fields_of(here.home)
    if fields is None:
        return UNKNOWN
    if part in fields:
        return field_type(*fields[part])
    if part in set(others_of(here.home)):
        return UNKNOWN
    return NoField(part, here.name, tuple(fields))


def is_loose(output: Type) -> bool:
    """Whether a model holds nothing but free texts, which any placeholder fits."""
    if output.kind is not Kind.MODEL or output.home is None:
        return False
    fields = fields_of(output.home)
    if not fields or any(True for _ in others_of(output.home)):
        return False
    types = [field_type(home, field) for home, field in fields.values()]
    return all(each.kind is Kind.TEXT and not each.constrained for each in types)
