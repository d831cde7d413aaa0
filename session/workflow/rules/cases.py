"""Rules about switches: the path exists, and there is a case for every value and no other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..findings import Change, Code, Fix
from ..source.expr import Text
from ..source.graph import TargetKind
from ..source.outputs import NoField, field_at
from ..source.types import Kind, literal, value_of
from .view import OUTCOMES, Outcome, listed, nearest, replace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..findings import Finding
    from ..source.graph import CaseSource, EdgeSource
    from ..source.types import Json, Type
    from .view import View

_SOURCES = frozenset([TargetKind.NODE, TargetKind.PORT])


def check(view: View) -> Iterator[Finding]:
    for edge in view.workflow.edges:
        if edge.form == "switch" and edge.source.kind in _SOURCES:
            yield from _switch(view, edge)


def _switch(view: View, edge: EdgeSource) -> Iterator[Finding]:
    on = view.on(edge)
    if on is None:
        if edge.on is None:
            message = 'say what the switch rests on: on="field", or on=OUTCOME'
            yield view.finding(Code.BAD_PATH, message, edge.span, edge.source.name)
        return
    if isinstance(on, Outcome):
        yield from _cover(view, edge, literal(OUTCOMES))
        return
    output, choices = view.source_output(edge.source)
    if output.kind is Kind.NOTHING:
        label = edge.source.name
        message = f"'{label}' has no output to switch on: give it output=, or switch on OUTCOME"
        yield view.finding(Code.NO_OUTPUT_MODEL, message, edge.source.span, label)
        return
    found = field_at(output, on, choices)
    if isinstance(found, NoField):
        yield _no_field(view, edge, on, found)
    elif found.kind is Kind.CLOSED:
        yield from _cover(view, edge, found)


def _no_field(view: View, edge: EdgeSource, on: str, missing: NoField) -> Finding:
    near = nearest(missing.part, missing.fields)
    fix = None
    if near is not None and isinstance(edge.on, Text):
        parts = [near if part == missing.part else part for part in on.split(".")]
        fix = replace(f"write '{'.'.join(parts)}'", edge.on_span, f'"{".".join(parts)}"')
    there = f" (it has: {listed(missing.fields)})" if missing.fields else ""
    message = f"{missing.owner} has no field '{missing.part}'{there}"
    message += f": {fix.title}" if fix is not None else ""
    return view.finding(Code.BAD_PATH, message, edge.on_span, on, fix)


def _cover(view: View, edge: EdgeSource, field: Type) -> Iterator[Finding]:
    """Compare the cases that are written with those that can happen."""
    given = [(case, value_of(view.module, case.key)) for case in edge.cases]
    if edge.open or any(known is None for _, known in given):
        return
    values = [known[0] for _, known in given if known is not None]
    missing = [(v, spelled) for v, spelled in field.cases() if not _among(v, values)]
    wanted = [value for value, _ in field.cases()]
    extra = [
        (case, known[0])
        for case, known in given
        if known is not None and not _among(known[0], wanted)
    ]
    renamed = _renamed(extra, missing)
    for case, value in extra:
        yield _extra(view, edge, case, value, renamed.get(id(case)))
    for value, spelled in missing:
        yield _missing(view, edge, value, spelled, spelled in renamed.values())


def _among(value: Json, values: list[Json]) -> bool:
    return any(type(value) is type(other) and value == other for other in values)


def _renamed(
    extra: list[tuple[CaseSource, Json]], missing: list[tuple[Json, str]]
) -> dict[int, str]:
    """Pair misspelled cases with the values that they must have meant."""
    texts = {value: spelled for value, spelled in missing if isinstance(value, str)}
    pairs: dict[int, str] = {}
    for case, value in extra:
        near = nearest(str(value), texts)
        if near is None and len(extra) == len(missing) == 1 and _alike(str(value), missing[0][0]):
            near = str(missing[0][0])
        if near is not None and texts.get(near) not in pairs.values():
            pairs[id(case)] = texts[near]
    return pairs


def _alike(word: str, other: Json) -> bool:
    return isinstance(other, str) and word.lower().replace("-", "_") == other.lower()


def _extra(
    view: View, edge: EdgeSource, case: CaseSource, value: Json, spelled: str | None
) -> Finding:
    message = f"'{edge.source.name}' can never be {value!r}: "
    if spelled is not None:
        fix = replace(f"write {spelled}", case.key_span, spelled)
    else:
        fix = Fix("remove the case", (_removal(view, case),))
    return view.finding(Code.EXTRA_CASE, message + fix.title, case.key_span, str(value), fix)


def _removal(view: View, case: CaseSource) -> Change:
    """Remove a case with the comma after it, or else the one before it."""
    data = view.module.document.text.data
    start, end = case.span
    after = end
    while data[after : after + 1] in {b" ", b"\t"}:
        after += 1
    if data[after : after + 1] == b",":
        after += 1
        while data[after : after + 1] in {b" ", b"\t"}:
            after += 1
        return Change(start, after, "")
    before = data[:start].rstrip()
    return Change(len(before) - 1 if before.endswith(b",") else start, end, "")


def _missing(
    view: View,
    edge: EdgeSource,
    value: Json,
    spelled: str,
    covered: bool,
) -> Finding:
    message = f"the switch on '{edge.source.name}' has no case for {value!r}: add {spelled}: ..."
    fix = None
    if not covered and edge.cases:
        # Ending the run is valid but hardly what was meant: for a person to look at.
        last = edge.cases[-1].span[1]
        fix = Fix(f"add {spelled}: None", (Change(last, last, f", {spelled}: None"),), safe=False)
    return view.finding(Code.MISSING_CASE, message, edge.cases_span, str(value), fix)
