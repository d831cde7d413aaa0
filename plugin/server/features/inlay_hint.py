"""textDocument/inlayHint: where a live run stands, beside each node that it has entered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from . import encode, live, sources
from .code_lens import node_title

if TYPE_CHECKING:
    from segue.session.workflow.source.graph import MountSource, NodeSource

    from ...authoring.live import RunState
    from ...authoring.opened import Opened
    from ..server import SegueServer


async def handle(
    server: SegueServer, params: types.InlayHintParams
) -> list[types.InlayHint] | None:
    uri = params.text_document.uri
    run = live.run_of(server, uri)
    return await sources.answer(server, uri, inlay_hints, params.range, run)


def inlay_hints(opened: Opened, given: types.Range, run: RunState | None) -> list[types.InlayHint]:
    """Give the hints of a range; none once the run has ended."""
    if run is None or not run.alive:
        return []
    start, end = encode.span_of(opened, given)
    made: list[types.InlayHint] = []
    for workflow in opened.module.workflows:
        every: list[NodeSource | MountSource] = [*workflow.nodes, *workflow.mounts]
        for part in every:
            state = run.nodes.get(part.name)
            if state is not None and start <= part.name_span[0] <= end:
                line = opened.places.place(part.name_span[1]).line
                last = opened.places.place(opened.places.offset(line, 1 << 30))
                made.append(
                    types.InlayHint(
                        types.Position(*last),
                        node_title(state),
                        tooltip=state.said or run.reason or None,
                        padding_left=True,
                    )
                )
    return made
