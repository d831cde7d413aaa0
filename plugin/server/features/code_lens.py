"""textDocument/codeLens: what can be done with a workflow, its last run, and each node's state."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any, Final

from lsprotocol import types

from ..registry import COMMANDS
from . import encode, live, sources

if TYPE_CHECKING:
    from collections.abc import Set

    from segue.session.workflow.source.graph import MountSource, NodeSource

    from ...authoring.live import NodeState, RunState
    from ...authoring.opened import Opened
    from ..server import SegueServer

_OFFERED: Final = {
    "Run in session...": "segue.server.run",
    "Rehearse": "segue.rehearse",
    "Graph": "segue.server.graph",
}
"""A rehearsal needs a terminal: it is the client's own command, where the client says it has it."""
_STATUS: Final = "segue.server.status"


async def handle(server: SegueServer, params: types.CodeLensParams) -> list[types.CodeLens] | None:
    uri = params.text_document.uri
    folder = live.folder_of(server, uri)
    run = live.run_of(server, uri)
    theirs = server.options.get("commands")
    commands = frozenset(str(each) for each in theirs) if isinstance(theirs, list) else frozenset()
    return await sources.answer(server, uri, code_lenses, folder, run, commands | COMMANDS.keys())


def code_lenses(
    opened: Opened, folder: str | None, run: RunState | None, commands: Set[str]
) -> list[types.CodeLens]:
    made: list[types.CodeLens] = []
    for workflow in opened.module.workflows:
        args = {"folder": folder, "workflow": workflow.name or workflow.variable}
        columns = count(workflow.span[0])
        for title, command in _OFFERED.items():
            if command in commands:
                made.append(_lens(opened, next(columns), title, command, args))
        if run is not None:
            title = f"last run: {run.status.replace('_', ' ')}"
            made.append(_lens(opened, next(columns), title, _STATUS, _of(run, folder)))
            every: list[NodeSource | MountSource] = [*workflow.nodes, *workflow.mounts]
            for node in every:
                state = run.nodes.get(node.name)
                if state is not None:
                    title = node_title(state)
                    made.append(_lens(opened, node.span[0], title, _STATUS, _of(run, folder)))
    return made


def node_title(state: NodeState) -> str:
    mark = "▶ " if state.at else ""
    visits = f", visit {state.visits}" if state.visits > 1 else ""
    return f"{mark}{state.state.replace('_', ' ')}{visits}"


def _of(run: RunState, folder: str | None) -> dict[str, Any]:
    return {"folder": folder, "run": run.id}


def _lens(
    opened: Opened, offset: int, title: str, command: str, args: dict[str, Any]
) -> types.CodeLens:
    """Make a lens. Editors sort those of a line by column, so each has one of its own."""
    given = {key: value for key, value in args.items() if value is not None}
    where = encode.range_of(opened.places, (offset, offset))
    return types.CodeLens(where, types.Command(title, command, arguments=[given]))
