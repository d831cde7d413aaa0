"""How a line after `/workflow` can go on: verbs, workflows, and what a verb takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from segue.session import grammar
from segue.session.errors import WorkflowError
from segue.session.store import requests, runs
from segue.session.view import view
from segue.session.workflow import discovery

if TYPE_CHECKING:
    from collections.abc import Iterator

    from segue.session.binding import Binding


class Item(NamedTuple):
    """`value` is the whole line with this taken."""

    value: str
    label: str
    description: str


def complete(binding: Binding, text: str) -> list[Item]:
    """Give the ways to go on, in the order in which they are listed."""
    line = text.lstrip()
    word, space, rest = line.partition(" ")
    found = _first(binding) if not space else _TAKES.get(word, _nothing)(binding, rest)
    return [item for item in found if item.value.startswith(line)]


def _first(binding: Binding) -> Iterator[Item]:
    for name, verb in grammar.VERBS.items():
        yield Item(name, verb.usage or name, verb.help)
    try:
        listed = discovery.discover(binding.service.project)
    except WorkflowError:
        return
    for found in listed:
        if not found.mount_only:
            yield Item(found.name, found.name, found.title or found.description)


def _nothing(_binding: Binding, _rest: str) -> Iterator[Item]:
    yield from ()


def _answers(binding: Binding, _rest: str) -> Iterator[Item]:
    """The open question of this session's run, with each of its choices."""
    with binding.service.reading() as db:
        run = runs.live_of(db, binding.authority.session)
        request = None if run is None else requests.open_of(db, run.pk)
        if run is None or request is None or request.kind not in ("human", "checkpoint"):
            return
        shown = view(db, run, binding.service.clock.now())["request"] or {}
    start = f"answer {request.id}"
    if not shown.get("choices"):
        yield Item(start + " ", request.id, shown.get("text") or "")
    for choice in shown.get("choices", ()):
        yield Item(f"{start} {choice}", choice, shown.get("text") or "")


def _runs(binding: Binding, _rest: str) -> Iterator[Item]:
    with binding.service.reading() as db:
        listed = [r for r in runs.latest(db, 20) if r.ended_at is None]
    for run in listed:
        if run.session != binding.authority.session:
            yield Item(f"rebind {run.id}", run.id, f"{run.workflow}, of session {run.origin}")


_TAKES = {"answer": _answers, "rebind": _runs}
