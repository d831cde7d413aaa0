"""`segue status [RUN]`: a run at a glance; without one, every run that has not ended."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from segue.session import report
from segue.session.view import view

from .. import asking, workspace
from ..terminal_person import next_of
from . import runs

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from segue.session.outlook import Outlook
    from segue.session.report import Summary


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", nargs="?", help="the run's id, or its beginning")
    asking.add_json(parser)
    workspace.add_arguments(parser)


def run(args: Namespace) -> int:
    if args.run:
        where = asking.opened(args, f"run {args.run!r}")
        with asking.looking(where) as look:
            outlook = look.outlook(args.run)
            shown = view(look.db, outlook.run, look.clock.now())
        return _one(args, shown, outlook)
    where = workspace.workspace_of(args)
    listed: list[Summary] = []
    if where.has_state:
        with asking.looking(where) as look:
            listed = report.under_way(look.db)
    if args.json:
        print(json.dumps([runs.to_json(summary) for summary in listed], ensure_ascii=False))
    elif not listed:
        print("no run is under way here; `segue runs` lists those that have ended")
    else:
        _draw(listed)
    return 0


def _one(args: Namespace, shown: dict[str, Any], outlook: Outlook) -> int:
    if args.json:
        shown["next"], shown["next_here"] = next_of(outlook.status)
        print(json.dumps(shown, ensure_ascii=False))
        return 0
    from ..views.page import Page
    from ..views.statuses import run_cell

    page = Page()
    word, colour = run_cell(outlook.status.word)
    bound = f" of at most {shown['max_steps']}" if shown["max_steps"] else ""
    at = f" at {shown['node']}" if shown["node"] else ""
    page.line(
        f"{page.paint(shown['workflow'], 'bold')}  {page.paint(word, colour)}{at}, step"
        f" {shown['steps']}{bound}  {page.paint(shown['run'], 'dim')}"
    )
    for name, text in _facts(shown):
        page.text(text, first=page.paint(f"  {name:<8} ", "dim"), indent=" " * 11)
    if not outlook.run.ended_at:
        page.text(asking.todo(outlook), first=page.paint("  next     ", "dim"), indent=" " * 11)
    return 0


def _facts(shown: dict[str, Any]) -> list[tuple[str, str]]:
    facts = [("session", shown["session"])]
    if shown["reason"] and shown["status"] != "completed":
        facts.append(("why", shown["reason"] + (f": {shown['detail']}" if shown["detail"] else "")))
    progress = shown["progress"]
    if progress:
        total = f" of {progress['total']:g}" if progress["total"] else ""
        unit = f" {progress['unit']}" if progress["unit"] else ""
        said = f": {progress['message']}" if progress["message"] else ""
        facts.append(("progress", f"{progress['completed']:g}{total}{unit}{said}"))
    if shown["request"]:
        facts.append(("asks", f"{shown['request']['id']} ({shown['request']['kind']})"))
    if shown["output"] is not None:
        facts.append(("output", shown["output"]))
    return facts


def _draw(listed: list[Summary]) -> None:
    from ..views.page import Page
    from ..views.statuses import run_cell
    from ..views.tables import Cell, table

    rows = []
    for summary in listed:
        run, status = summary.run, summary.status
        word, colour = run_cell(status.word)
        rows.append(
            (
                Cell(run.id),
                Cell(run.workflow, ("bold",)),
                Cell(word, (colour,)),
                Cell(str(run.origin), ("dim",)),
                Cell(status.reason or "", ("dim",)),
            )
        )
    table(Page(), ("RUN", "WORKFLOW", "STATUS", "SESSION", "WHY"), rows)
