"""What can be written at a place: names of nodes, values of cases, fields, exits, settings.

What is being typed need not parse, so the place is read by `cursor` and the names come from the
latest version that was whole.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Final, NamedTuple

from segue.session.workflow.rules.reads import read_target
from segue.session.workflow.rules.view import OUTCOMES
from segue.session.workflow.source.expressions import Reader
from segue.session.workflow.source.graph import SETTINGS, MountSource, NodeSource, TargetKind
from segue.session.workflow.source.module import Handle, Outside
from segue.session.workflow.source.outputs import NoField, choices_of, field_at
from segue.session.workflow.source.syntax import parse
from segue.session.workflow.source.types import (
    OWN_FIELDS,
    Kind,
    field_type,
    fields_of,
    literal,
)

from .cursor import Cursor, Frame, cursor_at
from .opened import views_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from segue.session.workflow.rules.view import View
    from segue.session.workflow.source.types import Type

    from .opened import Opened

_EFFECTS: Final = {"idempotent": "run again after a crash", "manual": "a person decides"}
_SOURCES: Final = frozenset(["edge", "switch", "on_failure"])


class Sort(StrEnum):
    """What an offer is, as editors draw it."""

    NODE = "node"
    FIELD = "field"
    VALUE = "value"
    EXIT = "exit"
    SETTING = "setting"


class Offer(NamedTuple):
    """One thing that can be written. `written` is its text, quotes included."""

    label: str
    written: str
    sort: Sort
    detail: str = ""
    rank: int = 0


class Offers(NamedTuple):
    """What can be written, in place of the bytes of `span`."""

    items: tuple[Offer, ...]
    span: tuple[int, int]


def offers(opened: Opened, offset: int) -> Offers:
    """Give what can be written at an offset."""
    cursor = cursor_at(opened.data, offset)
    made = _Place(opened, cursor, offset)
    quoted = bool(cursor.quote)
    start = cursor.start
    if quoted:
        start = opened.data.index(cursor.quote.encode(), start) + len(cursor.quote)
    items: dict[str, Offer] = {}
    for each in made.run():
        bare = each.written[1:-1] if each.written[:1] == '"' else None
        if quoted and bare is not None:
            items.setdefault(bare, each._replace(label=bare, written=bare))
        elif not quoted:
            items.setdefault(each.label, each)
    return Offers(tuple(items.values()), (start, offset))


class _Place:
    """One place, and what is known around it."""

    def __init__(self, opened: Opened, cursor: Cursor, offset: int) -> None:
        self.cursor, self.offset = cursor, offset
        self.module = opened.known
        self.views = views_of(self.module)

    def run(self) -> Iterator[Offer]:
        inner = self.cursor.inner
        if inner is None:
            return
        outer = self.cursor.frames[-2] if len(self.cursor.frames) > 1 else None
        if inner.opener == "{" and outer is not None and outer.keyword == "cases":
            yield from self._cases(inner, outer)
        elif inner.opener == "(":
            yield from self._call(inner)

    def _call(self, frame: Frame) -> Iterator[Offer]:
        owner, _, method = frame.callee.rpartition(".")
        view = self.views.get(owner)
        if method == "Workflow":
            if frame.keyword == "start":
                for each in self.views.values():
                    yield from self._targets(each, texts_only=True)
        elif view is None:
            yield from self._elsewhere(owner, method, frame)
        elif method in _SOURCES:
            yield from self._edge(view, method, frame)
        elif method == "exit" and frame.index == 1 and not frame.keyword:
            yield from self._handles(view, mounts=False)
        elif method in SETTINGS:
            yield from self._settings(view, method, frame)

    def _elsewhere(self, owner: str, method: str, frame: Frame) -> Iterator[Offer]:
        """A call that is not on a workflow: `mount.exit(...)`, `ctx.output(...)`."""
        if frame.index:
            return
        if method == "exit":
            for view in self.views.values():
                for mount in view.workflow.mounts:
                    if mount.variable == owner:
                        yield from self._exits(view, mount)
        elif method in {"output", "latest"} and owner and not self.cursor.quote:
            for view in self.views.values():
                yield from self._handles(view, mounts=False)
                yield from self._ports(view)

    def _edge(self, view: View, method: str, frame: Frame) -> Iterator[Offer]:
        if frame.keyword == "on":
            yield from self._fields(view, frame)
        elif frame.keyword:
            return
        elif frame.index == 0:
            yield from self._handles(view, mounts=False)
            yield from self._ports(view)
        elif method == "switch":
            for name in ("on", "cases"):
                if name not in frame.given:
                    yield Offer(f"{name}=", f"{name}=", Sort.SETTING)
        else:
            yield from self._targets(view)

    # Nodes

    def _handles(self, view: View, *, mounts: bool) -> Iterator[Offer]:
        for part in view.parts:
            if part.variable and (mounts or isinstance(part, NodeSource)):
                yield Offer(part.variable, part.variable, Sort.NODE, _kind(view, part))

    def _targets(self, view: View, *, texts_only: bool = False) -> Iterator[Offer]:
        """Nodes and mounts: by handle where that is bound before the place, else by name."""
        for part in view.parts:
            detail, bound = _kind(view, part), part.variable and part.span[1] <= self.offset
            if bound and not texts_only and not self.cursor.quote:
                yield Offer(part.variable, part.variable, Sort.NODE, detail)
            yield Offer(f'"{part.name}"', f'"{part.name}"', Sort.NODE, detail, rank=1)
        if not texts_only and not self.cursor.quote:
            yield Offer("None", "None", Sort.VALUE, "the run ends", rank=2)

    def _ports(self, view: View) -> Iterator[Offer]:
        for mount in view.workflow.mounts:
            for each in self._exits(view, mount) if mount.variable else ():
                text = f"{mount.variable}.exit({each.written})"
                yield Offer(text, text, Sort.EXIT, each.detail, rank=1)

    def _exits(self, view: View, mount: MountSource) -> Iterator[Offer]:
        inner = view.included(mount)
        for made in inner.workflow.exits if inner is not None else ():
            name = f'"{made.name}"'
            yield Offer(name, name, Sort.EXIT, f"after {made.node.name}")
            local = self._imported(inner, made.variable) if inner is not None else ""
            if local:
                yield Offer(local, local, Sort.EXIT, f"after {made.node.name}")

    def _imported(self, inner: Handle, variable: str) -> str:
        """Give the name under which this file has an exit's handle, if it has."""
        for name in self.module.names if variable else ():
            meaning = self.module.of_name(name)
            if (
                isinstance(meaning, Handle)
                and meaning.workflow is inner.workflow
                and meaning.part is not None
                and meaning.part.variable == variable
                and meaning.part in inner.workflow.exits
            ):
                return name
        return ""

    # What a switch rests on

    def _source(self, view: View, source: str) -> tuple[Type, tuple[str, ...] | None] | None:
        """Give the type of the node or exit that a call begins with."""
        data = source.encode()
        children = parse(data).root_node.named_children
        inner = children[0].named_children if children else []
        target = read_target(view, Reader(data, 0).read(inner[0])) if inner else None
        if target is None or target.kind not in {TargetKind.NODE, TargetKind.PORT}:
            return None
        return view.source_output(target)

    def _fields(self, view: View, frame: Frame) -> Iterator[Offer]:
        if not self.cursor.quote:
            yield Offer("OUTCOME", "OUTCOME", Sort.VALUE, "how the step ended", rank=2)
        found = self._source(view, frame.first)
        if found is None:
            return
        output, choices = found
        path = self.cursor.word.rpartition(".")[0] if self.cursor.quote else ""
        here = field_at(output, path, choices) if path else output
        if isinstance(here, NoField):
            return
        for name, kind in _fields_of(here).items():
            text = f"{path}.{name}" if path else name
            whole = field_at(output, text, choices)
            shown = kind if isinstance(whole, NoField) else whole
            rank = 0 if shown.kind is Kind.CLOSED else 1
            yield Offer(f'"{text}"', f'"{text}"', Sort.FIELD, _shown(shown), rank)

    def _cases(self, frame: Frame, call: Frame) -> Iterator[Offer]:
        owner, _, method = call.callee.rpartition(".")
        view = self.views.get(owner)
        if view is None or method != "switch":
            return
        if frame.value:
            yield from self._targets(view)
            return
        for value, spelled in self._values(view, call):
            if spelled not in frame.keys:
                detail = "" if isinstance(value, str) else str(value)
                yield Offer(spelled, spelled, Sort.VALUE, detail)

    def _values(self, view: View, call: Frame) -> tuple[tuple[object, str], ...]:
        on = call.given.get("on", "")
        if on[:1] not in {'"', "'"}:
            meaning = self.module.of_name(on) if on.isidentifier() else None
            outcome = isinstance(meaning, Outside) and meaning.name.endswith(".OUTCOME")
            return literal(OUTCOMES).cases() if outcome else ()
        found = self._source(view, call.first)
        if found is None:
            return ()
        kind = field_at(found[0], on.strip("\"'"), found[1])
        return () if isinstance(kind, NoField) else kind.cases()

    # Settings of a node

    def _settings(self, view: View, method: str, frame: Frame) -> Iterator[Offer]:
        if frame.keyword == "effect":
            for word, detail in _EFFECTS.items():
                yield Offer(f'"{word}"', f'"{word}"', Sort.VALUE, detail)
        elif frame.keyword == "on_timeout":
            yield from self._choices(view)
        elif not frame.keyword and not self.cursor.quote:
            for name in SETTINGS[method]:
                if name not in frame.given:
                    yield Offer(f"{name}=", f"{name}=", Sort.SETTING)

    def _choices(self, view: View) -> Iterator[Offer]:
        for node in view.workflow.nodes:
            if node.span[0] <= self.offset <= node.span[1]:
                for word in choices_of(self.module, node) or ():
                    yield Offer(f'"{word}"', f'"{word}"', Sort.VALUE)


def _kind(view: View, part: NodeSource | MountSource) -> str:
    if isinstance(part, MountSource):
        inner = view.included(part)
        return f"includes {inner.workflow.name}" if inner is not None else "mount"
    output = view.output(part.name)
    return f"{part.kind}, gives {output.name}" if output.name not in {"", "None"} else part.kind


def _fields_of(kind: Type) -> dict[str, Type]:
    if kind.kind is not Kind.MODEL:
        return {}
    if kind.home is None:
        return OWN_FIELDS[kind.name]
    fields = fields_of(kind.home) or {}
    return {name: field_type(*each) for name, each in fields.items()}


def _shown(kind: Type) -> str:
    if kind.kind is Kind.CLOSED:
        return " | ".join(spelled for _, spelled in kind.cases())
    return kind.name
