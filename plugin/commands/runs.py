"""`segue runs`: the latest runs of the project."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from segue.session import report

from .. import workspace
from ..terminal_person import next_of
from ..views.statuses import run_cell
from ..views.times import ago, iso

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from segue.session.report import Summary


LATEST: Final = 20


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    workspace.add_arguments(parser)


def run(args: Namespace) -> int:
    where = workspace.workspace_of(args)
    listed: list[Summary] = []
    now = 0
    if where.has_state:
        with where.store() as store:
            listed, now = report.summaries(store, LATEST), store.clock.now()
    if args.json:
        print(json.dumps([to_json(summary) for summary in listed], ensure_ascii=False))
    elif not listed:
        print("no runs here yet: rehearse a workflow with `segue rehearse NAME --keep`")
    else:
        _draw(listed, now)
    return 0


def to_json(summary: Summary) -> dict[str, Any]:
    """Give a run as programs read it."""
    run, status = summary.run, summary.status
    return {
        "run_id": run.id,
        "workflow": run.workflow,
        "status": str(status.word),
        "reason": status.reason,
        "detail": status.detail,
        "next_step": next_of(status)[0],
        "session": str(run.origin),
        "steps": run.steps,
        "created_at": iso(run.created_at),
        "updated_at": iso(run.updated_at),
        "ended_at": iso(run.ended_at),
    }


def _draw(listed: list[Summary], now: int) -> None:
    from ..views.page import Page
    from ..views.tables import Cell, table

    rows = []
    for summary in listed:
        run, status = summary.run, summary.status
        word, colour = run_cell(status.word)
        why = status.reason or "" if status.word != "completed" else ""
        rows.append(
            (
                Cell(run.id),
                Cell(run.workflow, ("bold",)),
                Cell(word, (colour,)),
                Cell(f"{run.steps}".rjust(5)),
                Cell(ago(run.updated_at, now), ("dim",)),
                Cell(why, ("dim",)),
            )
        )
    table(Page(), ("RUN", "WORKFLOW", "STATUS", "STEPS", "CHANGED", "WHY"), rows)
