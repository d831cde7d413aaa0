"""Asks for a pause, a resume or a cancel of a run, as a person elsewhere (O3, D9)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from segue.session.ownership import Actor, Who

from . import palette, prompting

if TYPE_CHECKING:
    from segue.session.service import Service

    from .server import SegueServer


async def ask(
    server: SegueServer, arguments: dict[str, Any], what: str, title: str, *, confirm: str = ""
) -> Any:
    """Do it to the run that is named or chosen, after it was confirmed where that is wanted."""
    args = palette.read(arguments)
    try:
        project = await palette.project(server, args)
        run_id = await palette.run_id(server, project, args, title)
    except palette.Dismissed:
        return palette.nothing()
    found = await palette.with_service(server, project, lambda s: s.find_run(run_id))
    if confirm and not args.sure:
        said = f"Run {found.id} of {found.workflow} ({found.state}, {found.steps} steps) ends."
        if not await prompting.confirm(server, said, confirm):
            return palette.nothing()

    def act(service: Service) -> Any:
        return service.carry_out(service.find_run(run_id), Actor(Who.ELSEWHERE), what)

    after = await palette.with_service(server, project, act)
    said = f"{after.workflow} ({after.id}): {after.state}"
    if after.asked == what:
        said = f"{after.workflow} ({after.id}): session {after.origin} is asked to {what} it"
    return palette.done(server, args, said, run=after.id, state=after.state, asked=after.asked)
