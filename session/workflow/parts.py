"""What the rules share: the parts of a workflow, and how a broken rule is noted."""

from __future__ import annotations

from typing import Any

from .definition import Workflow
from .findings import Code, Finding, Severity
from .handles import Mount, Node, Place


def broken(code: Code, message: str, place: Place, subject: str = "") -> Finding:
    return Finding(code, Severity.ERROR, message, place.file, place.line, 1, subject)


def listed(workflow: Workflow[Any]) -> list[Node[Any] | Mount[Any]]:
    return [*workflow.declared, *workflow.mounts]


def parts(workflow: Workflow[Any]) -> dict[str, Node[Any] | Mount[Any]]:
    return {part.name: part for part in listed(workflow)}


def target_name(target: Any) -> str:
    return target if isinstance(target, str) else str(getattr(target, "name", target))
