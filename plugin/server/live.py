"""What the person sees of live runs: a progress bar for each, and its question with its choices.

On the loop. The same for a run of the workspace and of a session attached on this connection;
after a restart everything is shown anew from what is stored.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from lsprotocol import types

from segue.session.errors import SegueError
from segue.session.ownership import Actor, Who

from . import prompting

if TYPE_CHECKING:
    from pathlib import Path

    from .attached import Attached
    from .folders import Project
    from .server import SegueServer

View = dict[str, Any]
_BY_ITSELF: Final = ("wait", "human", "checkpoint")
"""Reasons of a waiting run that is not parked: its bar stays."""


@dataclass
class _Bar:
    token: str
    project: Project
    run: str
    said: str = ""
    begun: bool = False
    hidden: bool = False
    """The person closed it; it comes back when the run has stood still and goes on."""


class Live:
    """Bars and questions by run and request."""

    def __init__(self, server: SegueServer) -> None:
        self._server = server
        self._runs: dict[Path, dict[str, View]] = {}
        self._bars: dict[str, _Bar] = {}
        self._questions: dict[str, asyncio.Task[Any]] = {}
        self._asked: set[str] = set()
        self._count = 0

    def runs(self, project: Path) -> list[View]:
        """Give what is known of a project's live runs."""
        return list(self._runs.get(project, {}).values())

    # --- the workspace's runs

    def seen(self, project: Project, views: list[View]) -> None:
        """The runs of a project that have not ended, as they are now."""
        now = {str(view["run"]): view for view in views}
        before = self._runs.get(project.root, {})
        self._runs[project.root] = now
        for run in before.keys() - now.keys():
            self._end_bar(run, "ended")
        for run, view in now.items():
            self._bar(project, run, view)
        self._close_questions({v["request"]["id"] for v in now.values() if v["request"]}, before)
        for view in now.values():
            self._question(project, view)

    def forget(self, roots: set[Path]) -> None:
        """Folders were closed: their bars and questions go."""
        for root in list(self._runs):
            if root not in roots:
                before = self._runs.pop(root)
                for run in before:
                    self._end_bar(run, "its folder was closed")
                self._close_questions(set(), before)

    def _bar(self, project: Project, run: str, view: View) -> None:
        if not self._server.can("window", "work_done_progress"):
            return
        status = view["status"]
        lively = status in ("queued", "running") or (
            status == "waiting" and view["reason"] in _BY_ITSELF
        )
        if not lively:
            self._end_bar(run, f"{status}: {view['detail'] or view['reason'] or ''}")
            return
        bar = self._bars.get(run)
        if bar is None:
            self._count += 1
            bar = self._bars[run] = _Bar(f"segue/{run}/{self._count}", project, run)
            self._server.spawn(self._begin(bar, str(view["title"])), "a progress bar")
        bar.said = step_line(view)
        self._report(bar)

    async def _begin(self, bar: _Bar, title: str) -> None:
        await self._server.protocol.ask_async(
            types.WINDOW_WORK_DONE_PROGRESS_CREATE, types.WorkDoneProgressCreateParams(bar.token)
        )
        if self._bars.get(bar.run) is not bar:
            return  # it ended meanwhile
        value = types.WorkDoneProgressBegin(title=title, cancellable=True, message=bar.said)
        bar.begun = True
        self._progress(bar, value)

    def _report(self, bar: _Bar) -> None:
        if bar.begun and not bar.hidden:
            self._progress(bar, types.WorkDoneProgressReport(message=bar.said, cancellable=True))

    def _end_bar(self, run: str, said: str) -> None:
        bar = self._bars.pop(run, None)
        if bar is not None and bar.begun:
            self._progress(bar, types.WorkDoneProgressEnd(message=said[:200]))

    def _progress(self, bar: _Bar, value: Any) -> None:
        self._server.protocol.notify(types.PROGRESS, types.ProgressParams(bar.token, value))

    def cancelled(self, token: Any) -> None:
        """The person pressed cancel on a bar: that pauses the run."""
        bar = next((b for b in self._bars.values() if b.token == token), None)
        if bar is not None:
            bar.hidden = True
            self._server.spawn(self._pause(bar), "pause")

    async def _pause(self, bar: _Bar) -> None:
        def pause() -> None:
            with bar.project.service() as service:
                run = service.find_run(bar.run)
                service.carry_out(run, Actor(Who.ELSEWHERE), "pause")

        try:
            await self._server.off("quick", pause)
        except SegueError as error:
            prompting.show(self._server, str(error), error=True)

    # --- questions to the person

    def session_shows(self, attached: Attached, view: View) -> None:
        """An attached session's run has changed: its question goes to its own host's dialog."""
        request = view.get("request")
        wanted = request["id"] if request and request["kind"] == "human" else None
        for request_id in list(self._questions):
            if (
                request_id.startswith(f"{attached.key}/")
                and request_id != f"{attached.key}/{wanted}"
            ):
                self._questions.pop(request_id).cancel()
        name = f"{attached.key}/{wanted}"
        if wanted is None or not self._server.can_ask or name in self._asked:
            return
        self._asked.add(name)
        self._questions[name] = self._server.spawn(self._ask_host(attached, view), "a question")

    async def _ask_host(self, attached: Attached, view: View) -> None:
        request = view["request"]
        said = await self._ask(view, {"host": attached.key.host, "id": attached.key.id})
        if said is None:
            return

        def decide() -> None:
            attached.binding.decide(
                request["id"],
                said.choice,
                said.text,
                bytes.fromhex(request["shown"]),
                actor=Actor(Who.PERSON, attached.key),
            )

        await self._decided(decide)

    def _question(self, project: Project, view: View) -> None:
        request = view["request"]
        if request is None or request["kind"] != "human" or request["id"] in self._asked:
            return
        if self._server.can_ask and any(
            str(a.key) == view["session"] for a in self._server.sessions
        ):
            return  # that session's host asks
        self._asked.add(request["id"])
        self._questions[request["id"]] = self._server.spawn(
            self._ask_elsewhere(project, view), "a question"
        )

    async def _ask_elsewhere(self, project: Project, view: View) -> None:
        request = view["request"]
        said = await self._ask(view, None)
        if said is None:
            return

        def decide() -> None:
            with project.service() as service:
                shown = bytes.fromhex(request["shown"])
                actor = Actor(Who.ELSEWHERE)
                given = service.decide(request["id"], said.choice, said.text, shown, actor)
                service.carry_out_answer(given)

        await self._decided(decide)

    async def _ask(self, view: View, session: dict[str, str] | None) -> prompting.Said | None:
        request = view["request"]
        title = f"{view['title']}: {request['node']}"
        if self._server.can_ask:
            return await prompting.ask(
                self._server,
                "choice",
                title,
                request["text"] or "",
                request["choices"],
                request["wants_text"],
                session=session,
                request=request["id"],
                shown=request["shown"],
            )
        message = f"{title} ({view['run']})\n\n{request['text'] or ''}"
        choice = await prompting.buttons(self._server, message, request["choices"])
        if choice is not None and choice in request["wants_text"]:
            prompting.show(
                self._server,
                f"'{choice}' wants words beside it: type `segue answer {request['id']}` in a"
                " terminal",
            )
            return None
        return None if choice is None else prompting.Said(choice, None)

    async def _decided(self, decide: Any) -> None:
        try:
            await self._server.off("quick", decide)
        except SegueError as error:
            prompting.show(self._server, str(error), error=True)

    def _close_questions(self, open_: set[str], before: dict[str, View]) -> None:
        """What was answered elsewhere is taken off the screen."""
        for view in before.values():
            request = view["request"]
            if request is not None and request["id"] not in open_:
                task = self._questions.pop(request["id"], None)
                if task is not None:
                    task.cancel()


def step_line(view: View) -> str:
    """Give one line on where a run is."""
    node = view["node"] or ""
    named = next((n["status"] for n in view["nodes"] if n["node"] == node and n["status"]), None)
    parts = [f"{node} ({named})" if named else node or str(view["status"])]
    if view["reason"] in ("human", "checkpoint"):
        parts.append("waits for an answer")
    progress = view["progress"]
    if progress and progress["total"]:
        parts.append(f"{progress['completed']:g}/{progress['total']:g} {progress['unit']}".strip())
    parts.append(f"step {view['steps']}")
    return ", ".join(parts)
