"""`segue sessions`: the project's conversations, who holds them, and their runs."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING, Any

from segue.session.roster import roster

from .. import asking, workspace
from ..terminal_person import in_agent
from ..views.times import ago, iso

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from segue.session.roster import Entry

_HELD = {True: "attached", False: "not attached", None: "cannot be told"}


def add_arguments(parser: ArgumentParser) -> None:
    asking.add_json(parser)
    parser.add_argument("--rehearsals", action="store_true", help="those of rehearsals as well")
    workspace.add_arguments(parser)


def run(args: Namespace) -> int:
    where = workspace.workspace_of(args)
    listed: list[Entry] = []
    now = 0
    if where.has_state:
        with asking.looking(where) as look:
            listed = roster(look.db, rehearsals=args.rehearsals)
            now = look.clock.now()
    if args.json:
        print(json.dumps([to_json(entry) for entry in listed], ensure_ascii=False))
    elif not listed:
        print("no session was seen in this project yet: open it in an agent that Segue is put into")
    else:
        _draw(listed, now)
    return 0


def to_json(entry: Entry) -> dict[str, Any]:
    """Give a session as programs read it."""
    owner, run = entry.owner, entry.run
    return {
        "session": str(entry.row.key),
        "host": entry.row.key.host,
        "attached": entry.attached,
        "proof": entry.proof,
        "pid": None if owner is None else owner.process.pid,
        "instance": None if owner is None else owner.instance,
        "segue": None if owner is None else owner.segue,
        "attached_at": None if owner is None else iso(owner.attached_at),
        "detached_at": None if owner is None else iso(owner.detached_at),
        "run": None
        if run is None
        else {
            "run_id": run.run.id,
            "workflow": run.run.workflow,
            "status": str(run.status.word),
            "reason": run.status.reason,
        },
        "lineage": [
            {"kind": kind, "other": other, "at": iso(at)} for kind, other, at in entry.lineage
        ],
        "claims": [
            {"run_id": claim.id, "session": str(claim.origin), "next_step": _move(entry, claim.id)}
            for claim in entry.claims
        ],
    }


def _move(entry: Entry, run_id: str) -> str | None:
    if in_agent():
        return None
    return f"segue rebind {run_id} --session {shlex.quote(str(entry.row.key))}"


def _draw(listed: list[Entry], now: int) -> None:
    from ..views.page import Page
    from ..views.statuses import run_cell
    from ..views.tables import Cell, table

    page = Page()
    rows = []
    for entry in listed:
        run, owner = entry.run, entry.owner
        word, colour = ("-", "dim") if run is None else run_cell(run.status.word)
        about = "" if run is None else f"{run.run.workflow} {run.run.id}"
        since = "" if owner is None else ago(owner.detached_at or owner.attached_at, now)
        rows.append(
            (
                Cell(str(entry.row.key), ("bold",)),
                Cell(_HELD[entry.attached], ("green",) if entry.attached else ("dim",)),
                Cell(since, ("dim",)),
                Cell(word, (colour,)),
                Cell(about),
            )
        )
    table(page, ("SESSION", "NOW", "SINCE", "STATUS", "RUN"), rows)
    for entry in listed:
        for line in _notes(entry):
            page.text(f"{entry.row.key} {line}", "dim")


def _notes(entry: Entry) -> list[str]:
    words = {"forked": "was forked from", "cleared": "took the place of"}
    notes = [f"{words[kind]} {other}" for kind, other, _ in entry.lineage if kind in words]
    for claim in entry.claims:
        move = _move(entry, claim.id)
        notes.append(
            f"may have run {claim.id} ({claim.workflow}) of {claim.origin}"
            + (f": `{move}`" if move else "")
        )
    return notes
