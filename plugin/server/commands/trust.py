"""`segue.server.trust`: the person lets a project's workflows run (S1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from segue.session import trust

from .. import palette, prompting

if TYPE_CHECKING:
    from ..server import SegueServer


async def run(server: SegueServer, arguments: dict[str, Any]) -> Any:
    args = palette.read(arguments)
    try:
        project = await palette.project(server, args)
    except palette.Dismissed:
        return palette.nothing()
    said = f"Trust {project.root}? Its workflows are code, and will run as you."
    if not args.sure and not await prompting.confirm(server, said, "Trust this project"):
        return palette.nothing()
    await server.off("quick", trust.trust, project.home.path, project.root)
    return palette.done(server, args, f"{project.root} is trusted", project=str(project.root))
