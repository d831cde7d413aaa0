"""`segue.server.answer`: a person's answer to a human request, with what was shown (H1, H2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from segue.session.errors import NotFound
from segue.session.ownership import Actor, Who

from .. import palette, prompting
from ..prompting import Choice

if TYPE_CHECKING:
    from segue.session.service import Service

    from ...protocol.palette import PaletteArguments
    from ..server import SegueServer


async def run(server: SegueServer, arguments: dict[str, Any]) -> Any:
    args = palette.read(arguments)
    try:
        project = await palette.project(server, args)
        has_state = await server.off("quick", lambda: project.has_state)
        open_ = await palette.with_service(server, project, _open) if has_state else []
        request = await _request(server, open_, args)
        choice = args.choice or await _choice(server, request)
        text = await _words(server, request, choice, args)
    except palette.Dismissed:
        return palette.nothing()

    def decide(service: Service) -> None:
        shown = bytes.fromhex(request["shown"])
        given = service.decide(request["id"], choice, text, shown, Actor(Who.ELSEWHERE))
        service.carry_out_answer(given)

    await palette.with_service(server, project, decide)
    return palette.done(server, args, f"'{choice}' was taken", request=request["id"])


def _open(service: Service) -> list[dict[str, Any]]:
    """Give the open human requests, each with its run's view."""
    views = palette.live_views(service)
    return [v for v in views if v["request"] and v["request"]["kind"] == "human"]


async def _request(
    server: SegueServer, open_: list[dict[str, Any]], args: PaletteArguments
) -> dict[str, Any]:
    by_id = {v["request"]["id"]: v["request"] for v in open_}
    if args.request is not None:
        if args.request not in by_id:
            names = ", ".join(by_id) or "none"
            raise NotFound(f"no request {args.request[:80]!r} waits for a person (open: {names})")
        made: dict[str, Any] = by_id[args.request]
        return made
    if not open_:
        raise NotFound("nothing waits for a person here")
    listed = [
        Choice(v["request"]["id"], f"{v['workflow']} ({v['run']}), {v['request']['node']}")
        for v in open_
    ]
    chosen: dict[str, Any] = by_id[await palette.choose(server, "Answer which request?", listed)]
    return chosen


async def _choice(server: SegueServer, request: dict[str, Any]) -> str:
    listed = [Choice(each, each) for each in request["choices"]]
    return await palette.choose(server, request["text"] or request["node"], listed)


async def _words(
    server: SegueServer, request: dict[str, Any], choice: str, args: PaletteArguments
) -> str | None:
    if args.text is not None or choice not in request["wants_text"]:
        return args.text
    otherwise = f"type `segue answer {request['id']}` in a terminal"
    typed = await prompting.text(server, f"'{choice}' wants words beside it", otherwise)
    if typed is None:
        raise palette.Dismissed
    return typed
