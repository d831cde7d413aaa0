"""`segue.server.run`: queue a workflow for a session, which the person names (O8)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from segue.session import trust

from .. import palette, prompting

if TYPE_CHECKING:
    from ...protocol.palette import PaletteArguments
    from ..folders import Project
    from ..server import SegueServer


async def run(server: SegueServer, arguments: dict[str, Any]) -> Any:
    args = palette.read(arguments)
    try:
        project = await palette.project(server, args)
        if not await _trusted(server, project):
            return palette.nothing()
        name = await palette.workflow(server, project, args)
        key = await palette.session(server, project, args, f"Run {name} in which session?")
        text = await _text(server, project, name, args)
    except palette.Dismissed:
        return palette.nothing()

    def queue() -> Any:
        with project.service() as service:
            return service.queue(name, args.input, text, key)

    prepared = await server.off("slow", queue)
    made = prepared.run
    said = f"{made.workflow} ({made.id}) is queued for session {key}"
    return palette.done(server, args, said, run=made.id, session=str(key))


async def _trusted(server: SegueServer, project: Project) -> bool:
    """Without trust nothing of a project is loaded (S1); the person may give it here."""
    if project.trusted or await server.off(
        "quick", trust.is_trusted, project.home.path, project.root
    ):
        return True
    said = f"{project.root} is not trusted: running a workflow runs the project's code."
    if not await prompting.confirm(server, said, "Trust this project"):
        return False
    await server.off("quick", trust.trust, project.home.path, project.root)
    return True


async def _text(
    server: SegueServer, project: Project, name: str, args: PaletteArguments
) -> str | None:
    """Give the words that the workflow works on; asked for where its text says it needs some."""
    if args.text is not None or args.input is not None:
        return args.text
    if not await server.off("text", _wants_input, name, project):
        return None
    otherwise = f"type `segue start {name} TEXT` in a terminal"
    typed = await prompting.text(server, f"What is {name} to work on?", otherwise)
    if typed is None:
        raise palette.Dismissed
    return typed


def _wants_input(name: str, project: Project) -> bool:
    from segue.session.errors import SegueError
    from segue.session.workflow.source.schema import Unsettled, input_schema

    from ...charts import source_named

    try:
        module, found = source_named(name, project.root)
        given = found.setting("input")
        schema = {} if given is None else input_schema(module, given)
    except (SegueError, Unsettled):
        return False  # loading it tells what is missing
    return bool(schema.get("required"))
