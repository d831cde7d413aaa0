"""What palette commands share: their arguments, and asking for those that are missing (O8)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import ValidationError
from pygls.exceptions import JsonRpcInvalidParams

from segue.session.errors import NotFound
from segue.session.sessions import parse_key
from segue.session.status import REHEARSAL
from segue.session.store import attachments, runs, sessions
from segue.session.view import view

from ..protocol.palette import PaletteArguments, PaletteResult
from . import prompting
from .dispatch import said
from .prompting import Choice

if TYPE_CHECKING:
    from collections.abc import Callable

    from segue.session.ownership import SessionKey
    from segue.session.service import Service

    from .folders import Project
    from .server import SegueServer

T = TypeVar("T")


class Dismissed(Exception):
    """The person closed a dialog."""


def read(args: dict[str, Any]) -> PaletteArguments:
    """Check a command's arguments."""
    try:
        return PaletteArguments.model_validate(args)
    except ValidationError as error:
        raise JsonRpcInvalidParams(said(error)) from error


def done(server: SegueServer, args: PaletteArguments, text: str, **data: Any) -> dict[str, Any]:
    """Show what was done, and give it."""
    if not args.quiet:
        prompting.show(server, text)
    return PaletteResult(text=text, data=data).wire()


def nothing() -> dict[str, Any]:
    return PaletteResult(text="nothing was done", dismissed=True).wire()


async def choose(server: SegueServer, title: str, choices: list[Choice]) -> str:
    """Have one chosen; raises `Dismissed`."""
    chosen = await prompting.choose(server, title, choices)
    if chosen is None:
        raise Dismissed
    return chosen


async def project(server: SegueServer, args: PaletteArguments) -> Project:
    """Give the folder's project; with several open and none named, the person says which."""
    await server.settled()
    if args.folder is None and len(server.folders.projects()) > 1:
        listed = [Choice(f.uri, f"{f.name} ({f.path})") for f in server.folders]
        return server.folders.named(await choose(server, "In which folder?", listed))
    return server.folders.named(args.folder)


async def with_service(server: SegueServer, project: Project, work: Callable[[Service], T]) -> T:
    """Do something with the project's service, on a thread."""

    def act() -> T:
        with project.service() as service:
            return work(service)

    return await server.off("quick", act)


async def run_id(server: SegueServer, project: Project, args: PaletteArguments, title: str) -> str:
    """Give the run that is meant: named, or chosen among those that have not ended."""
    if not await server.off("quick", lambda: project.has_state):
        raise NotFound(f"no run was started in {project.root} yet")
    if args.run is not None:
        name = args.run
        found = await with_service(server, project, lambda s: s.find_run(name))
        return found.id
    views = await with_service(server, project, live_views)
    if not views:
        raise NotFound(f"no run is under way in {project.root}")
    listed = [Choice(v["run"], run_label(v)) for v in views]
    return await choose(server, title, listed)


def live_views(service: Service) -> list[dict[str, Any]]:
    with service.reading() as db:
        listed = [run for run in runs.live(db) if run.origin.host != REHEARSAL]
        return [view(db, run, service.clock.now()) for run in listed]


def run_label(made: dict[str, Any]) -> str:
    at = f" at {made['node']}" if made["node"] else ""
    return f"{made['workflow']} ({made['run']}): {made['status']}{at}, in {made['session']}"


async def session(
    server: SegueServer, project: Project, args: PaletteArguments, title: str
) -> SessionKey:
    """Give the session that is meant: named, or chosen among those seen in the project."""
    if args.session is not None:
        return parse_key(args.session)
    listed = await with_service(server, project, _sessions)
    if not listed:
        raise NotFound(
            f"no agent session was seen in {project.root} yet: open one there with Segue's"
            " extension, then run this again"
        )
    return parse_key(await choose(server, title, listed))


def _sessions(service: Service) -> list[Choice]:
    from segue.session.status import abandoned

    made = []
    with service.reading() as db:
        for row in sessions.latest(db, 20):
            if row.key.host == REHEARSAL:
                continue
            busy = runs.live_of(db, row.pk)
            here = "closed" if abandoned(attachments.get(db, row.pk)) else "open"
            doing = f", runs {busy.workflow}" if busy is not None else ""
            made.append(Choice(str(row.key), f"{row.key} ({here}{doing})"))
    return made


async def workflow(server: SegueServer, project: Project, args: PaletteArguments) -> str:
    """Give the workflow that is meant: named, or chosen."""
    from segue.session.workflow import discovery

    if args.workflow is not None:
        return args.workflow
    found = await server.off("quick", discovery.discover, project.root)
    listed = [
        Choice(
            f.ref, f"{f.name}: {f.title or f.description}" if f.title or f.description else f.name
        )
        for f in found
        if not f.mount_only
    ]
    if not listed:
        raise NotFound(f"no workflows are in {project.root} yet: `segue new NAME` writes one")
    return await choose(server, "Which workflow?", listed)
