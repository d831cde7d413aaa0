"""`segue.server.status`: one run, or all that are under way in the folder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from segue.session.view import view

from .. import palette

if TYPE_CHECKING:
    from segue.session.service import Service

    from ..server import SegueServer


async def run(server: SegueServer, arguments: dict[str, Any]) -> Any:
    args = palette.read(arguments)
    try:
        project = await palette.project(server, args)
    except palette.Dismissed:
        return palette.nothing()

    def look(service: Service) -> list[dict[str, Any]]:
        if args.run is None:
            return palette.live_views(service)
        run = service.find_run(args.run)
        with service.reading() as db:
            return [view(db, run, service.clock.now())]

    has_state = await server.off("quick", lambda: project.has_state)
    views = await palette.with_service(server, project, look) if has_state else []
    text = "\n".join(palette.run_label(v) for v in views) or "no run is under way"
    return palette.done(server, args, text, runs=views)
