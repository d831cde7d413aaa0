"""`segue show RUN`: one run, step by step, and why it stands where it stands."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from segue.session.errors import NotFound
from segue.session.report import Summary
from segue.session.report import report as report_of

from .. import workspace
from ..views.times import iso
from . import runs

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from segue.session.report import Report, Step


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", help="the run's id, or the beginning of it")
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    parser.add_argument("--events", action="store_true", help="show the journal as well")
    workspace.add_arguments(parser)


def run(args: Namespace) -> int:
    where = workspace.workspace_of(args)
    if not where.has_state:
        raise NotFound(where.nothing_kept(args.run))
    with where.store() as store:
        report = report_of(store, args.run, events=args.events)
    if args.json:
        print(json.dumps(_to_json(report, events=args.events), ensure_ascii=False))
    else:
        from ..views.page import Page
        from ..views.run import draw

        draw(Page(), report, events=args.events)
    return 0


def _to_json(report: Report, *, events: bool) -> dict[str, Any]:
    run = report.run
    made = {
        **runs.to_json(Summary(run, report.status)),
        "source": run.source_ref,
        "parent": run.parent,
        "input": report.input,
        "output": report.output,
        "exit": run.exit,
        "asks": report.asks or None,
        "steps": [_step_json(step) for step in report.steps],
    }
    if events:
        made["events"] = [
            {"revision": e.revision, "kind": e.kind, "actor": e.actor, "data": e.data}
            | {"at": iso(e.at)}
            for e in report.events
        ]
    return made


def _step_json(step: Step) -> dict[str, Any]:
    attempt = step.attempt
    return {
        "step": attempt.step,
        "node": attempt.node,
        "visit": attempt.visit,
        "attempt": attempt.attempt,
        "kind": step.kind,
        "outcome": attempt.state,
        "reason": attempt.reason,
        "output": step.output,
        "started_at": iso(attempt.started_at),
        "ended_at": iso(attempt.ended_at),
    }
