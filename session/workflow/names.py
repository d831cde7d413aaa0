"""Which names nodes, mounts, exits and workflows may have."""

from __future__ import annotations

import re

RESERVED = frozenset(
    "answer cancel check clear explain graph help list pause read rebind rehearse resume run"
    " runs show start status submit trust update why".split()
)
"""Words of `/workflow ...` and of the tool: a workflow of that name could not be started."""

_WORKFLOW = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*\Z")
_PART = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}\Z")


def workflow_name(stem: str) -> str:
    """Give the name of the workflow in a file of that stem."""
    return stem.replace("_", "-")


def is_workflow_name(name: str) -> bool:
    return len(name) <= 64 and bool(_WORKFLOW.match(name))


def is_part_name(name: str) -> bool:
    """Whether a node, mount or exit may have this name: an identifier, `-` allowed inside."""
    return bool(_PART.match(name))


BUILTINS = "segue.builtins."
"""What the modules of the built-in workflows are named below."""
