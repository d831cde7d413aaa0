"""`segue why RUN`: why it stands still, and what to do."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from segue import __version__

from .. import asking, workspace

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from segue.session.outlook import Outlook

    from ..views.page import Page


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", help="the run's id, or the beginning of it")
    asking.add_json(parser)
    workspace.add_arguments(parser)


def run(args: Namespace) -> int:
    where = asking.opened(args, f"run {args.run!r}")
    with asking.looking(where) as look:
        outlook, now = look.outlook(args.run), look.clock.now()
    if args.json:
        print(json.dumps(asking.to_json(outlook), ensure_ascii=False))
    else:
        from ..views.page import Page

        _draw(Page(), outlook, now)
    return 0


def _draw(page: Page, outlook: Outlook, now: int) -> None:
    from ..views.statuses import run_cell

    run, status, paint = outlook.run, outlook.status, page.paint
    word, colour = run_cell(status.word)
    page.line(f"{paint(run.workflow, 'bold')}  {paint(word, colour)}  {paint(run.id, 'dim')}")
    for name, text in _facts(outlook, now):
        page.text(text, first=paint(f"  {name:<8} ", "dim"), indent=" " * 11)


def _facts(outlook: Outlook, now: int) -> list[tuple[str, str]]:
    from ..views.times import duration

    run, status = outlook.run, outlook.status
    facts = [("session", f"{run.origin} ({outlook.proof})")]
    if outlook.node:
        facts.append(("at", f"{outlook.node}; {outlook.done} steps are done and stay done"))
    if status.reason:
        facts.append(("why", status.reason + (f": {status.detail}" if status.detail else "")))
    if status.explanation and status.explanation != status.detail and not run.ended_at:
        facts.append(("", status.explanation))
    if status.until is not None and not run.ended_at:
        left = status.until - now
        facts.append(("left", duration(left) if left > 0 else "its time is over"))
    if run.asked_by:
        facts.append(("asked", f"{run.asked} by {run.asked_by}"))
    if run.segue != __version__:
        facts.append(("made by", f"Segue {run.segue}; this is {__version__}"))
    for successor in outlook.successors:
        move = asking.move(outlook, successor.session)
        how = "took its place" if successor.kind == "cleared" else "was forked from it"
        more = f": `{move}` moves the run there" if move else ""
        facts.append(("note", f"session {successor.session} {how}{more}"))
    facts.append(("next", asking.todo(outlook)))
    return facts
