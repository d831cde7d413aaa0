"""What is said before a run goes on: how far it is, and what has changed meanwhile (P-D4, P-Q1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .width import cut, safe

if TYPE_CHECKING:
    from segue.session.drift import Drift
    from segue.session.report import Report

    from .page import Page

_DIFF_LINES = 12


def tell(page: Page, report: Report, drifts: list[Drift]) -> None:
    """Say how many steps are done and where it goes on, then which files have changed."""
    at = report.at
    node = report.definition.start if at is None else at.node
    visit = f" (visit {at.visit})" if at is not None and at.visit > 1 else ""
    done = "1 step" if report.done == 1 else f"{report.done} steps"
    page.line(page.paint(f"{done} done, going on at {node}{visit}", "bold"))
    for drift in drifts:
        _tell_drift(page, drift)


def _tell_drift(page: Page, drift: Drift) -> None:
    how = "is gone" if drift.now is None else "has changed since the run was started"
    page.text(f"{drift.path} {how}: the run goes on with its own copy", "yellow")
    for line in drift.diff(_DIFF_LINES) if drift.now is not None else ():
        colour = {"+": ("green",), "-": ("red",)}.get(line[:1], ("dim",))
        page.line("  " + page.paint(cut(safe(line), page.columns - 2), *colour))
