"""`segue.server.graph`: a workflow drawn, from its text alone (S1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...protocol.palette import PaletteResult
from .. import palette

if TYPE_CHECKING:
    from ..folders import Project
    from ..server import SegueServer

WIDTH = 100


async def run(server: SegueServer, arguments: dict[str, Any]) -> Any:
    args = palette.read(arguments)
    try:
        project = await palette.project(server, args)
        name = await palette.workflow(server, project, args)
    except palette.Dismissed:
        return palette.nothing()
    text, mermaid = await server.off("text", _draw, name, project)
    return PaletteResult(text=text, data={"workflow": name, "mermaid": mermaid}).wire()


def _draw(name: str, project: Project) -> tuple[str, str]:
    from segue.session.errors import NotFound

    from ...charts import chart_named
    from ...graph.canvas import plain
    from ...graph.mermaid import mermaid
    from ...graph.text import Drawing

    chart = chart_named(name, project.root)
    if not chart.steps:
        raise NotFound(f"'{chart.name}' has no nodes to draw: see what check says of it")
    return plain(Drawing(chart, WIDTH, None).draw().rows()), mermaid(chart)
