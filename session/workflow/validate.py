"""The rules that a loaded workflow has to keep, each finding with node, file and line.

The same codes as the rules that `segue check` finds in the text. What only a running module can
know (types made at run time, workflows built by functions) is decided here and nowhere else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from .definition import Workflow
from .findings import Code, Finding
from .names import RESERVED, is_part_name, is_workflow_name
from .parts import broken, listed
from .reach import reach
from .routes import edges, exits
from .settings import callbacks, settings


def validate(workflow: Workflow[Any]) -> list[Finding]:
    """Give every broken rule of a workflow and of those it includes, each said once."""
    return [*_validate(workflow, (), set())]


def _validate(workflow: Workflow[Any], stack: tuple[int, ...], seen: set[int]) -> Iterator[Finding]:
    seen.add(id(workflow))
    yield from _own(workflow)
    inside = (*stack, id(workflow))
    for mount in workflow.mounts:
        if id(mount.workflow) in inside:
            yield broken(
                Code.INCLUDE_CYCLE,
                f"mount '{mount.name}' includes '{mount.workflow.name}', which includes this"
                " workflow again: take one of the two out",
                mount.place,
                mount.name,
            )
        elif id(mount.workflow) not in seen:
            yield from _validate(mount.workflow, inside, seen)


def _own(workflow: Workflow[Any]) -> list[Finding]:
    found = [*_names(workflow), *settings(workflow), *callbacks(workflow)]
    found += [*edges(workflow), *exits(workflow)]
    if not any(f.code in _GRAPH_UNSURE for f in found):
        found += reach(workflow)
    return found


_GRAPH_UNSURE = (Code.UNKNOWN_TARGET, Code.DUPLICATE_NAME, Code.BAD_EXIT)


def _names(workflow: Workflow[Any]) -> Iterator[Finding]:
    name = workflow.name
    if not is_workflow_name(name):
        yield broken(
            Code.RESERVED_NAME,
            f"workflow name {name!r} has to be lowercase words joined by '-'",
            workflow.place,
            str(name),
        )
    elif name in RESERVED:
        yield broken(
            Code.RESERVED_NAME,
            f"workflow name '{name}' is a word of /workflow: choose another",
            workflow.place,
            name,
        )
    counts = Counter(part.name for part in listed(workflow))
    for part in listed(workflow):
        if not is_part_name(part.name):
            yield broken(
                Code.RESERVED_NAME,
                f"{part.name!r} cannot name a node: use letters, digits, '_' or '-'",
                part.place,
                part.name,
            )
        elif counts[part.name] > 1:
            counts[part.name] = 0  # said once
            yield broken(
                Code.DUPLICATE_NAME,
                f"'{part.name}' is declared more than once: rename one",
                part.place,
                part.name,
            )
