"""The compiled graph as plain data: what a run pins, what the parent process reads.

The worker makes it from the loaded workflow (`compile.py`); everybody else reads it from JSON.
No pydantic here: the parent of a resumed run is up before pydantic is imported.

A mounted node's path is `mount/node`. A mount itself is a node of kind `mount`: entering it
evaluates the included workflow's input. Ports are resolved away: the edge that leaves a mount
starts at the node that is the exit.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from ..canonical import Json, compact, digest

FORMAT: Final = 1

Kind: TypeAlias = Literal[
    "agent", "assistant", "compute", "action", "shell", "wait", "notify", "checkpoint", "mount"
]


class EdgeDef(NamedTuple):
    """Where a node leads. `on` is None for a plain edge; `cases` pairs a value and a target."""

    on: str | None = None
    cases: tuple[tuple[Json, str | None], ...] = ()
    failure: str | None = None


NO_EDGE: Final = EdgeDef()
"""Of a node that nothing leaves by itself."""
OUTCOME_PATH: Final = "$outcome"
"""`EdgeDef.on` of a switch on how the step ended."""


@dataclass(frozen=True)
class NodeDef:
    """One node of the flattened graph.

    `timeout` is seconds, None for no limit, or `"call"` where the worker has to be asked.
    """

    path: str
    kind: Kind
    edge: EdgeDef = NO_EDGE
    status: str = ""
    timeout: float | None | Literal["call"] = None
    effect: str = ""
    schema: dict[str, Json] | None = None
    human: bool = False
    choices: tuple[str, ...] = ()
    text: tuple[str, ...] = ()
    on_timeout: str | None = None
    max_chars: int = 0
    module: str = ""
    line: int = 0

    @property
    def mount(self) -> str:
        """The path of the mount that this node lies in, empty at the top."""
        return self.path.rpartition("/")[0]

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]

    @cached_property
    def schema_text(self) -> str:
        """The schema as a model reads it, without the titles that pydantic makes of names."""
        return compact(_untitled(self.schema))


@dataclass(frozen=True)
class Definition:
    """A workflow's compiled graph."""

    name: str
    start: str
    nodes: dict[str, NodeDef]
    max_steps: int
    exits: dict[str, str] = field(default_factory=dict)
    input_schema: dict[str, Json] | None = None
    title: str = ""
    description: str = ""
    on_reopen: str = "wait"
    revision: int = 0
    mount_only: bool = False

    def node(self, path: str) -> NodeDef:
        return self.nodes[path]

    def exit_of(self, path: str) -> str | None:
        """The name of the exit that this node is, if it is one."""
        return next((name for name, node in self.exits.items() if node == path), None)

    @cached_property
    def order(self) -> list[str]:
        """The nodes as a reader meets them: from the start, along the edges, the rest last."""
        seen: dict[str, None] = {}
        todo = [self.start]
        while todo:
            path = todo.pop()
            if path in seen or path not in self.nodes:
                continue
            seen[path] = None
            edge = self.nodes[path].edge
            onward = [target for _, target in edge.cases] + [edge.failure]
            todo.extend(target for target in reversed(onward) if target is not None)
        return [*seen, *(path for path in self.nodes if path not in seen)]

    def to_json(self) -> dict[str, Any]:
        """Give the whole snapshot, places included."""
        nodes = [_node_json(self.nodes[path]) for path in sorted(self.nodes)]
        places = {n.path: [n.module, n.line] for n in self.nodes.values()}
        return {
            "format": FORMAT,
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "revision": self.revision,
            "max_steps": self.max_steps,
            "on_reopen": self.on_reopen,
            "mount_only": self.mount_only,
            "input": self.input_schema,
            "start": self.start,
            "exits": self.exits,
            "nodes": nodes,
            "places": places,
        }

    def digest(self) -> bytes:
        """Identify the graph: independent of dict order, machine, checkout path and lines."""
        snapshot = self.to_json()
        del snapshot["places"]
        return digest(snapshot)


def _untitled(schema: Any) -> Any:
    if isinstance(schema, dict):
        return {
            key: _untitled(value)
            for key, value in schema.items()
            if not (key == "title" and isinstance(value, str))
        }
    if isinstance(schema, list):
        return [_untitled(item) for item in schema]
    return schema


def _node_json(node: NodeDef) -> dict[str, Any]:
    made: dict[str, Any] = {"path": node.path, "kind": node.kind}
    edge = node.edge
    if edge.on is not None or edge.cases:
        # Sorted by the case's spelling: the order in the author's dict means nothing.
        cases = sorted(([v, t] for v, t in edge.cases), key=lambda c: (str(type(c[0])), str(c[0])))
        made["edge"] = {"on": edge.on, "cases": cases}
    for name, empty in _OPTIONAL:
        value = getattr(node, name)
        if value != empty:
            made[name] = list(value) if isinstance(value, tuple) else value
    if edge.failure is not None:
        made["failure"] = edge.failure
    return made


_OPTIONAL: Final[tuple[tuple[str, Any], ...]] = (
    ("status", ""),
    ("timeout", None),
    ("effect", ""),
    ("schema", None),
    ("human", False),
    ("choices", ()),
    ("text", ()),
    ("on_timeout", None),
    ("max_chars", 0),
)


def from_json(data: dict[str, Any]) -> Definition:
    """Read a snapshot back.

    Raises:
        ValueError: For a format that this version of Segue does not know.
    """
    if data.get("format") != FORMAT:
        raise ValueError(f"definition format {data.get('format')!r}; this Segue reads {FORMAT}")
    places = data["places"]
    nodes = {item["path"]: _node_from(item, places[item["path"]]) for item in data["nodes"]}
    return Definition(
        name=data["name"],
        start=data["start"],
        nodes=nodes,
        max_steps=data["max_steps"],
        exits=data["exits"],
        input_schema=data["input"],
        title=data["title"],
        description=data["description"],
        on_reopen=data["on_reopen"],
        revision=data["revision"],
        mount_only=data["mount_only"],
    )


def _node_from(item: dict[str, Any], place: list[Any]) -> NodeDef:
    edge = item.get("edge", {})
    return NodeDef(
        path=item["path"],
        kind=item["kind"],
        edge=EdgeDef(
            on=edge.get("on"),
            cases=tuple((value, target) for value, target in edge.get("cases", ())),
            failure=item.get("failure"),
        ),
        status=item.get("status", ""),
        timeout=item.get("timeout"),
        effect=item.get("effect", ""),
        schema=item.get("schema"),
        human=item.get("human", False),
        choices=tuple(item.get("choices", ())),
        text=tuple(item.get("text", ())),
        on_timeout=item.get("on_timeout"),
        max_chars=item.get("max_chars", 0),
        module=place[0],
        line=place[1],
    )
