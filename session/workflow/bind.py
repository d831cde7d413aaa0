"""Flattens a workflow and its mounts into paths, each bound to the author's callback.

This is the cheap half of compiling and all that a resumed run's worker needs: no schema is
made and nothing is checked.
"""

from __future__ import annotations

from collections.abc import Awaitable, Coroutine
from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, get_args, get_origin, get_type_hints

from .handles import Exit, Mount, Node, Port

if TYPE_CHECKING:
    from .definition import Workflow


@dataclass(eq=False)
class Bound:
    """A node or a mount at its path in the flattened graph."""

    path: str
    prefix: str
    node: Node[Any] | Mount[Any]
    workflow: Workflow[Any]

    @cached_property
    def value_type(self) -> Any:
        """The type of the output: declared, or what the callback says it returns; else Any."""
        if isinstance(self.node, Mount):
            return self.node.workflow.input
        return output_type(self.node)


def output_type(node: Node[Any]) -> Any:
    """Give a node's output type, None where the output is nothing, Any where nothing says it."""
    if node.kind in ("agent", "checkpoint"):
        if choices := node.settings.get("choices"):
            return narrowed(node.output, node.name, tuple(choices))
        return node.output if node.output is not None else (str if node.kind != "agent" else None)
    if node.kind in ("assistant", "notify"):
        return str
    if node.kind == "wait":
        return None
    if node.output is not None:
        return node.output
    hint = _returned(node.settings.get("parse") or node.fn)
    if get_origin(hint) is Coroutine:
        return get_args(hint)[2]
    return get_args(hint)[0] if get_origin(hint) is Awaitable else hint


def _returned(fn: Any) -> Any:
    """Give what a function says it returns; its other annotations need not be readable."""
    said = SimpleNamespace(__annotations__={})
    try:
        if "return" not in fn.__annotations__:
            return Any
        said.__annotations__["return"] = fn.__annotations__["return"]
        hints = get_type_hints(said, getattr(fn, "__globals__", None), include_extras=True)
    except Exception:  # an annotation that cannot be read says nothing
        return Any
    return hints["return"]


def narrowed(model: Any, node_name: str, choices: tuple[str, ...]) -> Any:
    """Give `model` with its `choice` narrowed to exactly these choices."""
    from typing import Literal

    from pydantic import ConfigDict, create_model

    literal = Literal[choices]  # type: ignore[valid-type]  # made of run-time values on purpose
    title = "".join(part.capitalize() for part in node_name.split("_")) + model.__name__
    strict = type(title, (model,), {"model_config": ConfigDict(extra="forbid")})
    return create_model(title, __base__=strict, choice=(literal, ...))


def bind(workflow: Workflow[Any]) -> dict[str, Bound]:
    """Give every node and mount by path.

    Raises:
        RecursionError: For a workflow that includes itself; `compile` reports it before.
    """
    made: dict[str, Bound] = {}
    _bind(workflow, "", made, ())
    return made


def _bind(
    workflow: Workflow[Any], prefix: str, made: dict[str, Bound], stack: tuple[int, ...]
) -> None:
    if id(workflow) in stack:
        raise RecursionError(f"{workflow.name} includes itself")
    for node in workflow.declared:
        made.setdefault(prefix + node.name, Bound(prefix + node.name, prefix, node, workflow))
    for mount in workflow.mounts:
        path = prefix + mount.name
        made.setdefault(path, Bound(path, prefix, mount, workflow))
        _bind(mount.workflow, path + "/", made, (*stack, id(workflow)))


def find_exit(mount: Mount[Any], name: str) -> Exit[Any] | None:
    return next((e for e in mount.workflow.exits if e.name == name), None)


def source_path(prefix: str, source: Node[Any] | Port[Any]) -> str | None:
    """Give the path that an edge from `source` starts at; None for an unknown exit."""
    if isinstance(source, Port):
        found = find_exit(source.mount, source.exit_name)
        return None if found is None else f"{prefix}{source.mount.name}/{found.node.name}"
    return prefix + source.name
