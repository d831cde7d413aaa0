"""The rules that a workflow file has to keep, each a function from a view to findings.

`check_module` runs the table below. A rule only speaks where the text settles what it needs;
`view.py` says what is settled.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from . import (
    callbacks,
    cases,
    edges,
    exits,
    files,
    flow,
    hints,
    includes,
    loops,
    names,
    prompts,
    purity,
    reads,
    settings,
)
from .view import View

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..findings import Finding
    from ..source.module import Module

RULES: Final[tuple[Callable[[View], Iterator[Finding]], ...]] = (
    names.check,
    settings.check,
    edges.check,
    cases.check,
    exits.check,
    includes.check,
    flow.check,
    loops.check,
    callbacks.check,
    purity.check,
    prompts.check,
    reads.check,
    hints.check,
)


def check_module(module: Module) -> list[Finding]:
    """Give every finding in a module, in the order of the text."""
    found = list(files.check(module))
    for workflow in module.workflows:
        view = View(module, workflow)
        for rule in RULES:
            found += rule(view)
    return sorted(found, key=lambda finding: (finding.start, finding.code, finding.subject))
