"""The client's end of tests of `segue lsp`: pytest-lsp against the real process.

Nothing here sleeps: tests wait for messages, and fail when one has not come in a long time.
"""

from __future__ import annotations

import asyncio
import os
import sys
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient

from segue.plugin.server.rpc import converter
from segue.plugin.server.uris import uri_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable
    from pathlib import Path

T = TypeVar("T")
LONG = 60.0
"""Only ever waited for when something is broken."""
COMMAND = [sys.executable, "-m", "segue", "lsp", "--stdio"]


async def soon(work: Awaitable[T]) -> T:
    return await asyncio.wait_for(work, LONG)


class Inbox:
    """What came of one kind, to be waited for."""

    def __init__(self) -> None:
        self.all: list[Any] = []
        self._came = asyncio.Condition()

    async def put(self, item: Any) -> None:
        async with self._came:
            self.all.append(item)
            self._came.notify_all()

    async def first(self, fits: Callable[[Any], bool] = lambda _: True) -> Any:
        """Wait for the first item that fits, also among those that came before."""

        async def wait() -> Any:
            async with self._came:
                await self._came.wait_for(lambda: any(fits(item) for item in self.all))
                return next(item for item in self.all if fits(item))

        try:
            return await soon(wait())
        except TimeoutError:
            raise AssertionError(f"never came; last was {self.all[-1:]!r:.2000}") from None


class Client(LanguageClient):
    """An editor, or the glue of an agent host, or both."""

    def __init__(self) -> None:
        super().__init__(converter_factory=converter)
        self.wire: Any = self.protocol
        self.offers, self.views, self.asks = Inbox(), Inbox(), Inbox()
        self.buttons, self.bars, self.shown, self.logged = Inbox(), Inbox(), Inbox(), Inbox()
        self.entries: dict[str, list[str]] = {}
        self.idle = True
        self.answer: Callable[[str, list[str]], Any] = lambda _text, _choices: None
        """What the person does in a dialog: text and choices, gives the answer or None."""
        self.withhold: asyncio.Event | None = None
        """While set and not fired, offers are not answered."""
        _host(self)
        _dialogs(self)
        _window(self)

    async def say(self, method: str, params: Any = None) -> Any:
        """Send a request and give its result."""
        return await soon(self.wire.send_request_async(method, params))

    def tell(self, method: str, params: Any) -> None:
        self.protocol.notify(method, params)

    async def command(self, name: str, **args: Any) -> Any:
        """Run a palette command."""
        made = types.ExecuteCommandParams(f"segue.server.{name}", [args] if args else None)
        return await soon(self.workspace_execute_command_async(made))


def on(client: Client, method: str) -> Callable[[T], T]:
    """`client.feature`, with its type."""
    made: Callable[[T], T] = client.feature(method)
    return made


def _host(client: Client) -> None:
    @on(client, "segue/offer")
    async def offer(params: dict[str, Any]) -> dict[str, str]:
        await client.offers.put(params)
        if client.withhold is not None:
            await client.withhold.wait()
        if not client.idle:
            return {"taken": "busy"}
        client.entries.setdefault(params["session"]["id"], []).append(params["id"])
        return {"taken": "seen"}

    @on(client, "segue/conversation")
    def conversation(params: dict[str, Any]) -> dict[str, Any]:
        entries = client.entries.get(params["session"]["id"], [])
        return {"entries": entries, "queued": [], "idle": client.idle, "full": True}

    @on(client, "segue/abort")
    def abort(_params: Any) -> dict[str, Any]:
        return {}

    @on(client, "segue/changed")
    async def changed(params: dict[str, Any]) -> None:
        await client.views.put(params["view"])

    @on(client, "segue/log")
    async def log(params: dict[str, Any]) -> None:
        await client.logged.put(params["message"])


def _dialogs(client: Client) -> None:
    @on(client, "segue/ask")
    async def ask(params: dict[str, Any]) -> Any:
        await client.asks.put(params)
        said = client.answer(params["title"] + "\n" + params["text"], params["choices"])
        if isinstance(said, asyncio.Event):
            await said.wait()
            said = None
        if said is None or isinstance(said, dict):
            return said
        return {"text": said} if params["kind"] == "text" else {"choice": said}

    @on(client, types.WINDOW_SHOW_MESSAGE_REQUEST)
    async def buttons(params: types.ShowMessageRequestParams) -> Any:
        await client.buttons.put(params)
        labels = [action.title for action in params.actions or []]
        said = client.answer(params.message, labels)
        if isinstance(said, asyncio.Event):
            await said.wait()
            said = None
        return None if said is None else types.MessageActionItem(said)


def _window(client: Client) -> None:
    @on(client, types.WINDOW_SHOW_MESSAGE)
    async def show(params: types.ShowMessageParams) -> None:
        await client.shown.put(params.message)

    @on(client, types.WINDOW_LOG_MESSAGE)
    async def window_log(params: types.LogMessageParams) -> None:
        await client.logged.put(params.message)

    @on(client, types.WINDOW_WORK_DONE_PROGRESS_CREATE)
    def create(_params: types.WorkDoneProgressCreateParams) -> None:
        return None

    @on(client, types.PROGRESS)
    async def progress(params: types.ProgressParams) -> None:
        await client.bars.put(params)


class Session:
    """The host's end of one attached session."""

    def __init__(self, client: Client, session_id: str, cwd: Path, host: str = "test") -> None:
        self.client, self.cwd = client, cwd
        self.name = {"host": host, "id": session_id}
        self._calls = 0

    async def attach(self, **more: Any) -> Any:
        hello = {
            "protocol": 1,
            "host": self.name["host"],
            "session": self.name["id"],
            "instance": "i1",
            "cwd": str(self.cwd),
            "trusted": True,
        }
        return await self.client.say("segue/attach", {**hello, **more})

    async def say(self, method: str, **params: Any) -> Any:
        return await self.client.say(f"segue/{method}", {"session": self.name, **params})

    def tell(self, method: str, **params: Any) -> None:
        self.client.tell(f"segue/{method}", {"session": self.name, **params})

    def call(self) -> str:
        self._calls += 1
        return f"call-{self.name['id']}-{self._calls}"

    async def type(self, text: str) -> Any:
        """The person types `/workflow text`."""
        return await self.say("command", text=text, id=self.call())

    async def tool(self, **arguments: Any) -> Any:
        return await self.say("tool", arguments=arguments, id=self.call())

    async def offer(self, kind: str = "step", after: int = 0) -> Any:
        """Wait for a message to this session, beyond the first `after` of its kind."""
        mine = [None] * after

        def fits(params: Any) -> bool:
            return bool(params["session"] == self.name and params["kind"] == kind)

        def later(_: Any) -> bool:
            return len([o for o in self.client.offers.all if fits(o)]) > len(mine)

        await self.client.offers.first(later)
        return [o for o in self.client.offers.all if fits(o)][after]

    async def turn(self, offer: Any, output: Any) -> Any:
        """Play the turn that a message began: submit and end."""
        self.tell("turnStarted", cause=offer["id"])
        request = offer["details"]["request"]
        made = await self.tool(action="submit", request_id=request, output=output)
        await self.say("turnEnded", outcome="completed", text="done", id=self.call())
        return made

    async def until(self, fits: Callable[[Any], bool]) -> Any:
        """Wait for a view of the session's run."""
        key = f"{self.name['host']}:{self.name['id']}"
        return await self.client.views.first(lambda v: v.get("session") == key and fits(v))


EDITOR = types.ClientCapabilities(
    window=types.WindowClientCapabilities(
        work_done_progress=True, show_document=types.ShowDocumentClientCapabilities(support=True)
    ),
    workspace=types.WorkspaceClientCapabilities(workspace_folders=True),
)


def folder(path: Path) -> types.WorkspaceFolder:
    return types.WorkspaceFolder(uri_of(path), path.name)


@asynccontextmanager
async def connect(
    state: Path,
    folders: list[Path] | None = None,
    *,
    options: dict[str, Any] | None = None,
    capabilities: types.ClientCapabilities = EDITOR,
) -> AsyncIterator[Client]:
    """Start `segue lsp`, say hello, and end it in order."""
    env = {**os.environ, "SEGUE_STATE_DIR": str(state)}
    config = ClientServerConfig(COMMAND, client_factory=Client, server_env=env)
    client = await config.start()
    assert isinstance(client, Client)
    try:
        await client.initialize_session(
            types.InitializeParams(
                capabilities=capabilities,
                workspace_folders=[folder(path) for path in folders or []],
                initialization_options={"segue": options or {}},
            )
        )
        yield client
        await soon(client.shutdown_session())
    finally:
        await client.stop()  # type: ignore[no-untyped-call]  # pytest-lsp's own


__all__ = ["EDITOR", "Client", "Inbox", "Session", "connect", "folder", "pytest_lsp", "soon"]
