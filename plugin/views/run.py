"""One run: where it stands, its steps, and its journal on request."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ..terminal_person import next_of
from .statuses import run_cell, step_cell
from .tables import Cell, table
from .times import clock, duration
from .values import bounded, pretty

if TYPE_CHECKING:
    from segue.session.report import Report, Step

    from .page import Page

_LINES = 20


def draw(page: Page, report: Report, *, events: bool) -> None:
    """Draw a run."""
    run, paint = report.run, page.paint
    word, colour = run_cell(report.status.word)
    page.line(f"{paint(run.workflow, 'bold')}  {paint(word, colour)}  {paint(run.id, 'dim')}")
    for name, text in _facts(report):
        page.text(text, first=paint(f"  {name:<9} ", "dim"), indent=" " * 12)
    if report.steps:
        page.line()
        table(
            page,
            ("STEP", "NODE", "KIND", "VISIT", "OUTCOME", "TOOK", "OUTPUT"),
            [_row(s) for s in report.steps],
        )
    if report.output is not None:
        page.line()
        page.line(paint("output", "dim"))
        page.text(bounded(pretty(report.output, page.columns - 2), _LINES), indent="  ")
    if events:
        page.line()
        table(page, ("REV", "AT", "EVENT", "ACTOR", "DATA"), _journal(report))


def _facts(report: Report) -> list[tuple[str, str]]:
    run, status = report.run, report.status
    facts = [
        ("source", run.source_ref),
        ("session", str(run.origin)),
        ("started", clock(run.created_at)),
        ("took", duration((run.ended_at or run.updated_at) - run.created_at)),
        ("input", bounded(pretty(report.input, 66), _LINES)),
    ]
    if run.parent:
        facts.append(("parent", run.parent))
    if run.exit:
        facts.append(("exit", run.exit))
    if status.reason and status.word != "completed":
        facts.append(("why", status.reason + (f": {status.detail}" if status.detail else "")))
    if report.asks:
        facts.append(("asks", bounded(report.asks, 4)))
    command, _ = next_of(status)
    if command:
        facts.append(("next", command))
    return facts


def _row(step: Step) -> tuple[Cell, ...]:
    attempt = step.attempt
    word, colour = step_cell(attempt.state)
    tried = f"{attempt.visit}" + (f" try {attempt.attempt}" if attempt.attempt > 1 else "")
    took = "" if attempt.ended_at is None else duration(attempt.ended_at - attempt.started_at)
    said = attempt.reason or ("" if step.output is None else _short(step.output))
    return (
        Cell(f"{attempt.step:>4}"),
        Cell(attempt.node, ("bold",)),
        Cell(step.kind, ("dim",)),
        Cell(tried),
        Cell(word, (colour,)),
        Cell(took, ("dim",)),
        Cell(said, ("red",) if attempt.reason else ()),
    )


def _short(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)[:300]


def _journal(report: Report) -> list[tuple[Cell, ...]]:
    return [
        (
            Cell(f"{event.revision:>3}"),
            Cell(clock(event.at)[11:], ("dim",)),
            Cell(event.kind, ("bold",)),
            Cell(event.actor.partition("@")[0], ("dim",)),
            Cell(json.dumps(event.data, ensure_ascii=False)),
        )
        for event in report.events
    ]
