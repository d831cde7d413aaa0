"""`segue.server.rebind`: move a run to another session, because the person says so (O2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from segue.session.ownership import Actor, Who

from .. import palette

if TYPE_CHECKING:
    from segue.session.service import Service

    from ..server import SegueServer


async def run(server: SegueServer, arguments: dict[str, Any]) -> Any:
    args = palette.read(arguments)
    try:
        project = await palette.project(server, args)
        run_id = await palette.run_id(server, project, args, "Move which run?")
        key = await palette.session(server, project, args, f"Move {run_id} to which session?")
    except palette.Dismissed:
        return palette.nothing()

    def act(service: Service) -> Any:
        return service.rebind(service.find_run(run_id), key, Actor(Who.ELSEWHERE))

    moved = await palette.with_service(server, project, act)
    said = f"{moved.workflow} ({moved.id}) belongs to session {key} now; it waits for a resume"
    return palette.done(server, args, said, run=moved.id, session=str(key))
