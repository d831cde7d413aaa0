"""`segue.server.explain`: what a workflow does, asks, changes and costs, from its text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...protocol.palette import PaletteResult
from .. import palette

if TYPE_CHECKING:
    from ..folders import Project
    from ..server import SegueServer


async def run(server: SegueServer, arguments: dict[str, Any]) -> Any:
    args = palette.read(arguments)
    try:
        project = await palette.project(server, args)
        name = await palette.workflow(server, project, args)
    except palette.Dismissed:
        return palette.nothing()
    text = await server.off("text", _explain, name, project)
    return PaletteResult(text=text, data={"workflow": name}).wire()


def _explain(name: str, project: Project) -> str:
    from ...charts import source_named
    from ...explaining import explain

    return explain(*source_named(name, project.root))
