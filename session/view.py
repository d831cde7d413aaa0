"""What is shown of a run: one bounded value for widgets, status lines and the tool (D7).

At most 64 KiB however long the run is: the nodes near the active one, the latest steps, excerpts.
The rest is had in pages.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from . import status as statuses
from .canonical import compact
from .engine.progress import estimate
from .store import definitions, requests, steps
from .store.values import json_of, text_of

if TYPE_CHECKING:
    from .engine.memory import Memory
    from .store.connection import Connection
    from .store.records import Attempt, Request, Run
    from .workflow.snapshot import Definition

VIEW_CHARS: Final = 60_000
"""Under 64 KiB with what a protocol adds (issue of the status view)."""
NODES: Final = 40
STEPS: Final = 20
EXCERPT: Final = 2_000


def view(db: Connection, run: Run, now: int, memory: Memory | None = None) -> dict[str, Any]:
    """Give the current view of a run; times are ms since the epoch.

    Its driver gives its `memory`: the view of a long run takes it no longer than that of a new one.
    """
    definition = definitions.find(db, run.definition)
    current = steps.get(db, run.pk, run.step)
    request = requests.open_of(db, run.pk)
    seen = steps.by_node(db, run.pk) if memory is None else memory.seen()
    status = statuses.status_with(db, run, current, request)
    made: dict[str, Any] = {
        "run": run.id,
        "session": str(run.origin),
        "workflow": run.workflow,
        "title": (definition.title if definition else "") or run.workflow,
        "status": str(status.word),
        "reason": status.reason,
        "detail": _cut(status.detail),
        "next": status.next_step,
        "next_here": status.next_here,
        "revision": run.revision,
        "steps": run.steps,
        "max_steps": None if definition is None else definition.max_steps,
        "node": None if current is None or run.ended_at else current.node,
        "exit": run.exit,
        "created_at": run.created_at,
        "ended_at": run.ended_at,
        "elapsed_ms": (run.ended_at or now) - run.created_at,
        "nodes": _nodes(definition, current, seen),
        "latest": [
            {
                "step": step,
                "node": node,
                "visit": visit,
                "state": state,
                "reason": _cut(reason, 300),
            }
            for step, node, visit, state, reason in steps.tail(db, run.pk, STEPS)
        ],
        "request": None if request is None else _request(db, request, current, definition),
        "progress": None if current is None else _progress(db, run, current.step),
        "output": _cut(compact(json_of(db, run.output))) if run.output is not None else None,
    }
    while len(compact(made)) > VIEW_CHARS and (made["latest"] or made["nodes"]):
        made["latest"] = made["latest"][len(made["latest"]) // 2 + 1 :]
        made["nodes"] = made["nodes"][: len(made["nodes"]) // 2]
    return made


def _cut(text: str | None, chars: int = EXCERPT) -> str | None:
    return text if text is None or len(text) <= chars else text[: chars - 1] + "…"


def _nodes(
    definition: Definition | None, current: Attempt | None, seen: dict[str, tuple[int, str]]
) -> list[dict[str, Any]]:
    """Give one line a node, in the graph's order, windowed around the active one."""
    if definition is None:
        return []
    active = None
    if current is not None:
        active = current.node
        seen[active] = (current.visit, current.state)
    paths = [path for path in definition.order if definition.node(path).kind != "mount"]
    at = paths.index(active) if active in paths else 0
    first = max(0, min(at - NODES // 2, len(paths) - NODES))
    return [
        {
            "node": path,
            "kind": definition.node(path).kind,
            "status": definition.node(path).status,
            "state": seen[path][1] if path in seen else "new",
            "visits": seen[path][0] if path in seen else 0,
        }
        for path in paths[first : first + NODES]
    ]


def _request(
    db: Connection, request: Request, attempt: Attempt | None, definition: Definition | None
) -> dict[str, Any]:
    node = definition.node(attempt.node) if definition and attempt else None
    return {
        "id": request.id,
        "kind": request.kind,
        "node": None if node is None else node.path,
        "text": _cut(text_of(db, request.text)),
        "choices": [] if node is None else list(node.choices),
        "wants_text": [] if node is None else list(node.text),
        "shown": request.shown.hex(),
        "deadline": request.deadline,
        "rejected": request.rejected,
    }


def _progress(db: Connection, run: Run, step: int) -> dict[str, Any] | None:
    import json

    for key, first, latest, first_ms, ms in steps.updates(db, run.pk, step):
        if key == "progress":
            made = estimate(json.loads(first), json.loads(text_of(db, latest)), first_ms, ms)
            return {
                "completed": made.completed,
                "total": made.total,
                "unit": made.unit[:40],
                "message": made.message[:300],
                "rate": made.rate,
                "eta": made.eta,
            }
    return None


def page(db: Connection, run: Run, after: int, limit: int = 100) -> list[dict[str, Any]]:
    """Give steps of a run from the one after `after`: what the view leaves out."""
    return [
        {"step": a.step, "node": a.node, "visit": a.visit, "attempt": a.attempt, "state": a.state}
        for a in steps.page(db, run.pk, after, min(limit, 500))
    ]
