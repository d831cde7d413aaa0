"""Rows that the tests of the store begin with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from segue.session.ownership import SessionKey
from segue.session.process import current
from segue.session.store import attachments, runs
from segue.session.workflow.snapshot import Definition, NodeDef

if TYPE_CHECKING:
    from collections.abc import Callable

    from segue.session.store.records import Authority, Run
    from segue.session.store.store import Store
    from segue.session.store.tx import Tx

KEY = SessionKey("test", "s")
GRAPH = Definition("w", "a", {"a": NodeDef("a", "compute")}, 9)


def attach(state: Store, key: SessionKey = KEY) -> Authority:
    return attachments.attach(
        state, key, instance="i", process=current(), reason="test", facts={"a": 1}
    )


def launch(**changes: Any) -> runs.Launch:
    """Give the launch of a run that does nothing, with some of its facts changed."""
    facts: dict[str, Any] = {
        "run_id": "run-a",
        "origin": KEY,
        "definition": GRAPH,
        "source_ref": "project:w",
        "sources": (("w", "w.py", "00"),),
        "texts": ("x = 1",),
        "input": {"a": 1, "b": [2]},
        "options": {"folder": "/p"},
        "parent": None,
        "project": "/p",
    }
    return runs.Launch(**{**facts, **changes})


def claimed(state: Store) -> tuple[Run, Authority]:
    authority = attach(state)
    return runs.prepare_or_adopt(state, "test", launch(), authority).run, authority


def reason(text: str) -> Callable[[Tx], None]:
    """Give the body of a small write."""

    def body(tx: Tx) -> None:
        tx.change(reason=text)
        tx.event("parked", {"reason": text})

    return body
