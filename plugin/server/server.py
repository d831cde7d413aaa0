"""The server: what every handler gets, and its start and end."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, ParamSpec, TypeVar

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer

from segue import __version__
from segue.session import paths
from segue.session.clock import SystemClock

from ..authoring.places import Encoding
from . import dispatch, logs, registry
from .documents import Documents
from .folders import Folders, folder_of
from .life import Life
from .live import Live
from .pools import Pools
from .rpc import Protocol, converter
from .sessions import Sessions
from .wire import Reader, Writer

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from .attached import SessionService
    from .folders import Project
    from .pools import Pool
    from .watch import Watch

P = ParamSpec("P")
T = TypeVar("T")
_log = logging.getLogger("segue.server")


class SegueServer(LanguageServer):
    """One connection to one client.

    Attributes:
        documents: Open workflow files.
        folders: The workspace's folders and their projects.
        pools: Threads; handlers use `off`.
        options: What the client gave as `initializationOptions.segue`.
    """

    protocol: Protocol

    def __init__(self) -> None:
        super().__init__("segue", __version__, protocol_cls=Protocol, converter_factory=converter)
        self.life = Life()
        self.pools = Pools()
        self.documents = Documents(self)
        self.folders = Folders()
        self.sessions = Sessions()
        self.live = Live(self)
        self._watch: Watch | None = None
        self.options: dict[str, Any] = {}
        self.log_file: Path | None = None
        self.loop: asyncio.AbstractEventLoop | None = None
        self._tasks: set[asyncio.Task[Any]] = set()
        self._settled = asyncio.Event()
        self._changing: asyncio.Event | None = None
        _register(self)

    def _watched(self) -> None:
        """Watch the folders' projects; what a folder needs is imported off the loop."""
        from .watch import Watch

        projects = self.folders.projects()
        if self._watch is None and projects:
            self._watch = Watch(self._saw, SystemClock())
        if self._watch is not None:
            self._watch.set(projects)

    def _saw(self, project: Project, views: list[dict[str, Any]]) -> None:
        self.on_loop(self.live.seen, project, views)

    def close(self) -> None:
        """Let go of everything; every worker ends."""
        if self._watch is not None:
            self._watch.close()
        self.sessions.close()
        self.pools.close()

    # --- for handlers

    async def off(self, pool: Pool, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Do blocking work on a thread: `await server.off("quick", function, ...)`."""
        return await self.pools.run(pool, work, *args, **kwargs)

    async def settled(self) -> None:
        """Wait until the folders that the client has named are known."""
        await self._settled.wait()

    def can(self, *path: str) -> bool:
        """Whether the client has a capability, such as `("window", "work_done_progress")`."""
        found: Any = self.client_capabilities
        for name in path:
            found = getattr(found, name, None)
        return bool(found)

    @property
    def trusted(self) -> bool:
        """Whether the client says that the person trusts the workspace (S1)."""
        return self.options.get("trusted") is True

    @property
    def can_ask(self) -> bool:
        """Whether the client shows dialogs of its own for `segue/ask`."""
        return self.options.get("ask") is True

    def change_folders(self, added: list[Any], removed: list[str]) -> None:
        """Take folders in and out, in the order the client said so."""
        self._settled.clear()
        before, self._changing = self._changing, asyncio.Event()
        self.spawn(self._change(before, self._changing, added, removed), "folders")

    async def _change(
        self,
        before: asyncio.Event | None,
        done: asyncio.Event,
        added: list[Any],
        removed: list[str],
    ) -> None:
        if before is not None:
            await before.wait()
        try:
            for uri in removed:
                self.folders.remove(uri)
            for each in added:
                made = await self.off("quick", folder_of, each.uri, each.name, self.trusted)
                if made is not None:
                    self.folders.add(made)
            self.live.forget({project.root for project in self.folders.projects()})
            await self.off("quick", self._watched)
        finally:
            done.set()
            if self._changing is done:
                self._settled.set()

    def session_service(self, project: Project) -> SessionService:
        """Give a service for a session of a project; its state is made where it is missing."""
        from .attached import SessionService

        paths.prepare(project.database.parent, top=project.home.path)
        return SessionService(project)

    def spawn(self, work: Awaitable[Any], what: str) -> asyncio.Task[Any]:
        """Do something beside the requests; its failure is logged."""

        async def run() -> None:
            try:
                await work
            except OSError as error:  # the client did not answer, or has gone
                _log.info("%s: %s", what, error)
            except Exception as error:
                _log.warning("%s: %s", what, error, exc_info=error)

        task = asyncio.ensure_future(run())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def on_loop(self, call: Callable[..., Any], *args: Any) -> None:
        """Call something on the loop, from any thread; nothing happens once it has ended."""
        if self.loop is not None:
            with suppress(RuntimeError):
                self.loop.call_soon_threadsafe(call, *args)

    def show_log(self, level: int, message: str) -> None:
        """Show a line in the client's log: an editor's window, else the host's own."""
        if len(self.folders) or not self.sessions.count:
            kind = types.MessageType.Error if level >= logging.ERROR else types.MessageType.Warning
            params: Any = types.LogMessageParams(type=kind, message=message)
            self.protocol.notify(types.WINDOW_LOG_MESSAGE, params)
        else:
            name = "error" if level >= logging.ERROR else "warning"
            self.protocol.notify("segue/log", {"level": name, "message": message})

    def tell_problem(self, message: str) -> None:
        """Log what went wrong where nobody waits for an answer."""
        _log.warning("%s", message)

    def report_server_error(self, error: Exception, source: Any) -> None:  # noqa: ARG002
        self.tell_problem(str(error))


def _register(server: SegueServer) -> None:
    """Give pygls one coroutine for each row of the tables; modules come at the first call."""
    for method, entry in registry.METHODS.items():
        server.feature(method, entry.options)(_handler(server, entry.module))
    for method, row in registry.BINDING.items():
        server.feature(method)(dispatch.handler(server, method, row))
    for command, module in registry.COMMANDS.items():
        server.protocol.fm.commands[command] = _command(server, module)
    for method, call in _IN_ORDER.items():
        server.feature(method)(_in_order(server, call))


def _handler(server: SegueServer, module: str) -> Callable[[Any], Awaitable[Any]]:
    async def handle(params: Any) -> Any:
        loaded = await _loaded(server, module)
        return await loaded.handle(server, params)

    return handle


def _command(server: SegueServer, module: str) -> Callable[[list[Any]], Awaitable[Any]]:
    async def run(arguments: list[Any]) -> Any:
        if len(arguments) > 1 or not all(isinstance(each, dict) for each in arguments):
            raise JsonRpcInvalidParams("a command of Segue takes one object, or nothing")
        loaded = await _loaded(server, module)
        return await loaded.run(server, arguments[0] if arguments else {})

    return run


async def _loaded(server: SegueServer, module: str) -> Any:
    known = sys.modules.get(f"{__package__}.{module}")
    return known or await server.off("slow", registry.load, module)


def _in_order(
    server: SegueServer, call: Callable[[SegueServer, Any], None]
) -> Callable[[Any], None]:
    return lambda params: call(server, params)


def _put(server: SegueServer, params: types.DidOpenTextDocumentParams) -> None:
    opened = params.text_document
    server.documents.put(opened.uri, opened.version, opened.text)


def _change(server: SegueServer, params: types.DidChangeTextDocumentParams) -> None:
    changed = params.text_document
    encoding = Encoding.of(server.workspace.position_encoding)
    server.documents.change(changed.uri, changed.version, params.content_changes, encoding)


def _drop(server: SegueServer, params: types.DidCloseTextDocumentParams) -> None:
    server.documents.drop(params.text_document.uri)


def _begin(server: SegueServer, params: types.InitializeParams) -> None:
    """Read what the client says of itself; the answer does not wait for any disk."""
    given = params.initialization_options
    options = given.get("segue") if isinstance(given, dict) else None
    server.options = options if isinstance(options, dict) else {}
    if params.process_id is not None:
        server.life.watch(params.process_id)
    folders = list(params.workspace_folders or [])
    if not folders and params.root_uri:
        folders = [types.WorkspaceFolder(params.root_uri, "")]
    server.change_folders(folders, [])


def _folders(server: SegueServer, params: types.DidChangeWorkspaceFoldersParams) -> None:
    server.change_folders(list(params.event.added), [f.uri for f in params.event.removed])


_IN_ORDER: Final[dict[str, Callable[[SegueServer, Any], None]]] = {
    types.INITIALIZE: _begin,
    types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS: _folders,
    types.TEXT_DOCUMENT_DID_OPEN: _put,
    types.TEXT_DOCUMENT_DID_CHANGE: _change,
    types.TEXT_DOCUMENT_DID_CLOSE: _drop,
}


def serve() -> int:
    """Serve standard input and output until the client goes; ends the process."""
    stdout = logs.claim_stdout()
    # While a large file is checked on one thread, the loop gets its turn five times sooner.
    sys.setswitchinterval(0.001)
    server = SegueServer()
    server.log_file, trouble = logs.open_log()
    asyncio.run(_serve(server, stdout, trouble))
    return server.life.code


async def _serve(server: SegueServer, stdout: Any, trouble: str) -> None:
    server.loop = loop = asyncio.get_running_loop()
    over = asyncio.Event()
    server.life.on_end(lambda: server.on_loop(over.set))
    _signals(server, loop)
    writer = Writer(stdout, lambda: server.life.end("the client reads no more"))
    server.protocol.out = writer
    server.protocol.writer = stdout
    logging.getLogger().addHandler(logs.ClientHandler(server.show_log))
    stdin = os.fdopen(os.dup(0), "rb")

    def take(frame: Any) -> None:
        loop.call_soon_threadsafe(deal, frame)

    def deal(frame: Any) -> None:
        reader.done()
        server.protocol.receive(frame)

    reader = Reader(stdin, take, lambda: server.life.end("end of input"))
    reader.start()
    if trouble:
        _log.warning("%s", trouble)
    await over.wait()
    server.protocol.gone()
    await asyncio.to_thread(server.close)
    writer.close()
    os._exit(server.life.code)


def _signals(server: SegueServer, loop: asyncio.AbstractEventLoop) -> None:
    """A signal ends the server as the end of the input does.

    Through the loop: a plain handler that comes just before the loop falls asleep would be heard
    only when something else wakes it.
    """
    for name in ("SIGTERM", "SIGINT", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None:
            with suppress(NotImplementedError):  # Windows ends a process without asking
                loop.add_signal_handler(number, server.life.end, "a signal")
