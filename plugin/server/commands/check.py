"""`segue.server.check`: what is wrong with a folder's workflow files, from their text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import palette

if TYPE_CHECKING:
    from ..folders import Project
    from ..server import SegueServer


async def run(server: SegueServer, arguments: dict[str, Any]) -> Any:
    args = palette.read(arguments)
    try:
        project = await palette.project(server, args)
    except palette.Dismissed:
        return palette.nothing()
    summary, found = await server.off("text", _check, project)
    return palette.done(server, args, summary, findings=found)


def _check(project: Project) -> tuple[str, list[dict[str, Any]]]:
    from ...checking import files, library
    from ...commands.check import check_file
    from ...reports import summary
    from ..uris import uri_of

    folder = project.root / ".segue" / "workflows"
    meant = files([folder]) if folder.is_dir() else []
    look = library()
    found = [finding for path in meant for finding in check_file(path, look)]
    listed = [
        {
            "uri": uri_of(f.path),
            "line": f.line,
            "column": f.column,
            "code": f.code.value,
            "severity": f.severity.value,
            "message": f.message,
        }
        for f in found
    ]
    return summary(found, len(meant)), listed
