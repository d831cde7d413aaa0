"""JSON-RPC over pygls, made exact: every request gets one response, whatever was sent (S3).

pygls decodes before it looks at the id, so that a request with wrong-typed parameters is never
answered, and keeps the server's own requests beside the client's. Here the envelope is read
first, our requests live in a table of their own, and an answer that comes too late is dropped.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from contextvars import ContextVar
from enum import Enum, auto
from typing import TYPE_CHECKING, Any, Final

import cattrs
from lsprotocol import converters, types
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInvalidParams,
    JsonRpcInvalidRequest,
    JsonRpcMethodNotFound,
    JsonRpcServerNotInitialized,
)
from pygls.protocol import (
    JsonRPCNotification,
    JsonRPCRequestMessage,
    LanguageServerProtocol,
    lsp_method,
)

from segue.session.errors import SegueError

from ..protocol import VERSION
from .wire import Bad, encode

if TYPE_CHECKING:
    from .server import SegueServer
    from .wire import Writer

PROTOCOL_MISMATCH: Final = -32010
REFUSED: Final = -32011
"""An expected failure; `data.code` is the `SegueError`'s, `data.state` says how things stand."""
CANCELLED: Final = -32800

_log = logging.getLogger("segue.rpc")
_after: ContextVar[list[Callable[[], None]] | None] = ContextVar("after", default=None)


def after_answer(call: Callable[..., None], *args: Any) -> None:
    """Call this on the loop once the answer to the request in hand has been sent."""
    listed = _after.get()
    if listed is not None:
        listed.append(lambda: call(*args))


class ClientGone(BrokenPipeError):
    """The connection has ended."""


class ClientRefused(OSError):
    """The client answered one of our requests with an error."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


class _Stage(Enum):
    NEW = auto()
    READY = auto()
    SHUT = auto()


def converter() -> cattrs.Converter:
    """Give pygls' converter, but custom parameters and results stay plain JSON."""
    made = converters.get_converter()
    made.register_structure_hook(
        JsonRPCRequestMessage,
        lambda data, _: JsonRPCRequestMessage(
            data["id"], data["method"], "2.0", data.get("params")
        ),
    )
    made.register_structure_hook(
        JsonRPCNotification,
        lambda data, _: JsonRPCNotification(data["method"], "2.0", data.get("params")),
    )
    return made


class Protocol(LanguageServerProtocol):
    """The connection's state: what was asked of whom, and what was not answered yet."""

    _server: SegueServer

    def __init__(self, server: SegueServer, made: cattrs.Converter) -> None:
        super().__init__(server, made)
        self.out: Writer | None = None
        self._stage = _Stage.NEW
        self._asked: dict[str, tuple[str, Future[Any]]] = {}
        self._of: dict[Future[Any], object] = {}
        self._number = 0

    # --- what comes in (on the loop)

    def receive(self, frame: Any) -> None:
        """Deal with one frame; whatever it is, this does not raise."""
        try:
            self._receive(frame)
        except Exception:
            _log.exception("a frame could not be dealt with")

    def _receive(self, frame: Any) -> None:
        if isinstance(frame, Bad):
            _log.warning("bad frame: %s", frame.message)
            self._fail(None, JsonRpcException(frame.message, frame.code))
        elif not isinstance(frame, dict):
            self._fail(None, JsonRpcInvalidRequest("a message is one JSON object"))
        elif "method" in frame:
            self._called(frame)
        elif "id" in frame and ("result" in frame or "error" in frame):
            self._answered(frame)
        else:
            self._fail(_id_of(frame), JsonRpcInvalidRequest("neither a method nor a result"))

    def _called(self, frame: dict[str, Any]) -> None:
        wanted = "id" in frame
        msg_id, method = _id_of(frame), frame["method"]
        if wanted and msg_id is None:
            self._fail(None, JsonRpcInvalidRequest("an id is a string or a whole number"))
            return
        wrong = self._wrong(frame, method)
        if wrong is not None:
            if msg_id is not None:
                self._fail(msg_id, wrong)
            else:
                _log.warning("ignored: %s", wrong.message)
            return
        try:
            params = self._structured(frame, method)
        except JsonRpcException as error:
            if msg_id is not None:
                self._fail(msg_id, error)
            else:
                _log.warning("ignored %s: %s", method, error.message)
            return
        if msg_id is None:
            self._handle_notification(method, params)
        else:
            self._handle_request(msg_id, method, params)

    def _wrong(self, frame: dict[str, Any], method: Any) -> JsonRpcException | None:
        """Say why a call is refused before its parameters are looked at."""
        if not isinstance(method, str):
            return JsonRpcInvalidRequest("a method is a string")
        if frame.get("jsonrpc") != "2.0":
            return JsonRpcInvalidRequest('jsonrpc has to be "2.0"')
        if method == types.EXIT:
            return None
        if self._stage is _Stage.SHUT:
            return JsonRpcInvalidRequest("the server was shut down: only exit comes now")
        if self._stage is _Stage.NEW and method != types.INITIALIZE:
            return JsonRpcServerNotInitialized("send initialize first")
        if self._stage is _Stage.READY and method == types.INITIALIZE:
            return JsonRpcInvalidRequest("initialize was sent before")
        return None

    def _structured(self, frame: dict[str, Any], method: str) -> Any:
        kind = self.get_message_type(method)
        if kind is None:
            params = frame.get("params")
            if params is not None and not isinstance(params, (dict, list)):
                raise JsonRpcInvalidParams("params is an object")
            return params
        try:
            made = self._converter.structure({"params": None, **frame}, kind)
        except RecursionError:
            raise JsonRpcInvalidParams(f"{method}: nested too deeply") from None
        except Exception as error:
            said = "; ".join(cattrs.transform_error(error)[:3])
            raise JsonRpcInvalidParams(f"{method}: {said[:500]}") from error
        return getattr(made, "params", None)

    def _answered(self, frame: dict[str, Any]) -> None:
        msg_id = frame["id"]
        method, future = (
            self._asked.pop(msg_id, ("", None)) if isinstance(msg_id, str) else ("", None)
        )
        if future is None or future.done():
            _log.info("an answer that nobody waits for: %.80r", msg_id)
            return
        error = frame.get("error")
        if error is not None:
            code = error.get("code") if isinstance(error, dict) else None
            message = error.get("message") if isinstance(error, dict) else error
            future.set_exception(
                ClientRefused(code if isinstance(code, int) else 0, f"{method}: {message!s:.300}")
            )
            return
        result = frame.get("result")
        kind = self.get_result_type(method)
        if kind is not None and result is not None:
            try:
                result = self._converter.structure(
                    {"id": msg_id, "jsonrpc": "2.0", "result": result}, kind
                ).result
            except Exception:
                future.set_exception(ClientRefused(0, f"{method}: the answer has another shape"))
                return
        future.set_result(result)

    # --- answers

    def _send_handler_result(self, future: Any, *, msg_id: int | str) -> None:
        if self._request_futures.get(msg_id) is future:
            del self._request_futures[msg_id]
        if future.cancelled():
            self._fail(msg_id, JsonRpcException("the request was cancelled", CANCELLED))
            return
        error = future.exception()
        if error is not None:
            self._fail(msg_id, self._as_answer(error))
            return
        try:
            self._send_response(msg_id, future.result())
        except Exception as unsendable:
            self._fail(msg_id, self._as_answer(unsendable))

    def _check_handler_result(self, future: Any) -> None:
        if not future.cancelled() and (error := future.exception()) is not None:
            self._server.tell_problem(self._as_answer(error).message)

    def _as_answer(self, error: BaseException) -> JsonRpcException:
        if isinstance(error, JsonRpcException):
            return error
        if isinstance(error, SegueError):
            data = {"code": error.code, "state": getattr(error, "state", None)}
            return JsonRpcException(str(error), REFUSED, data)
        _log.error("a handler failed", exc_info=error)
        return JsonRpcException(f"this is a bug in Segue; details are in {self._server.log_file}")

    def _fail(self, msg_id: int | str | None, error: JsonRpcException) -> None:
        made: dict[str, Any] = {"code": error.code, "message": error.message}
        if error.data is not None:
            made["data"] = error.data
        self._put({"jsonrpc": "2.0", "id": msg_id, "error": made})

    def _handle_request(self, msg_id: int | str, method_name: str, params: Any) -> None:
        try:
            handler = self._get_handler(method_name)
        except JsonRpcMethodNotFound:
            self._fail(msg_id, JsonRpcMethodNotFound.of(method_name))
            return
        after: list[Callable[[], None]] = []
        _after.set(after)

        def done(future: Any) -> None:
            self._send_handler_result(future, msg_id=msg_id)
            for call in after:
                call()

        self._server.documents.mark()
        self._execute_handler(msg_id, handler, done, (params,))

    def _handle_cancel_notification(self, msg_id: int | str) -> None:
        future = self._request_futures.pop(msg_id, None)
        if future is not None:
            future.cancel()

    def _send_data(self, data: Any) -> None:
        self._put(self._converter.unstructure(data))

    def _put(self, message: Any) -> None:
        if self.out is not None:
            self.out.write(encode(message))

    # --- what we ask of the client (from any thread)

    def send_request(
        self,
        method: str,
        params: Any | None = None,
        callback: Callable[[Any], None] | None = None,
        msg_id: int | str | None = None,
    ) -> Future[Any]:
        """Ask the client; the future fails with `ClientRefused` or `ClientGone`."""
        future: Future[Any] = Future()
        if callback is not None:
            future.add_done_callback(lambda done: callback(done.result()))
        self._number += 1
        name = str(msg_id) if msg_id is not None else f"segue-{self._number}-{id(future):x}"
        self._asked[name] = (method, future)
        if self.out is None or self.out.closed:
            self._asked.pop(name, None)
            future.set_exception(ClientGone("the client has gone"))
            return future
        made = {"jsonrpc": "2.0", "id": name, "method": method}
        if params is not None:
            made["params"] = self._converter.unstructure(params)
        self._put(made)
        return future

    def ask(self, method: str, params: Any, seconds: float, asker: object = None) -> Any:
        """Ask the client and wait on this thread, which is not the loop's.

        Raises:
            OSError: It did not answer in time, refused, or has gone; or the asker was dropped. A
                later answer is passed over.
        """
        future = self.send_request(method, params)
        self._of[future] = asker
        try:
            return future.result(seconds)
        except TimeoutError:
            self.withdraw(future)
            raise TimeoutError(f"{method}: no answer in {seconds:g} s") from None
        finally:
            self._of.pop(future, None)

    def drop(self, asker: object) -> None:
        """Nobody waits for what `asker` has asked any more: its calls fail at once."""
        for future, whose in list(self._of.items()):
            if whose is asker:
                self.withdraw(future)
                with suppress(InvalidStateError):
                    future.set_exception(ClientGone("the session was let go of"))

    async def ask_async(self, method: str, params: Any) -> Any:
        """Ask the client from the loop; cancelling takes the question back."""
        future = self.send_request(method, params)
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            self.withdraw(future)
            raise

    def withdraw(self, future: Future[Any]) -> None:
        """Nobody waits for this answer any more: tell the client, forget the question."""
        for name, (_, asked) in list(self._asked.items()):
            if asked is future:
                self._asked.pop(name, None)
                self.notify(types.CANCEL_REQUEST, types.CancelParams(id=name))

    def gone(self) -> None:
        """The connection has ended: every question is answered with that."""
        while self._asked:
            _, (_, future) = self._asked.popitem()
            if not future.done():
                future.set_exception(ClientGone("the client has gone"))

    # --- the life of the connection

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: types.InitializeParams) -> Any:
        """Answer with what the registry lists."""
        self._stage = _Stage.READY
        made = yield from super().lsp_initialize(params)
        made.capabilities.experimental = {"segue": {"protocol": VERSION}}
        return made

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> Any:
        """Leave pygls' own copy alone: it takes form feeds for line ends and moves positions."""
        handler = self.fm.features.get(types.TEXT_DOCUMENT_DID_CHANGE)
        if handler is not None:
            yield handler, (params,), None

    @lsp_method(types.SHUTDOWN)
    def lsp_shutdown(self, *_: Any) -> None:  # type: ignore[override]  # no generator is needed
        """Cancel what runs; only `exit` comes after this."""
        self._stage = _Stage.SHUT
        for future in list(self._request_futures.values()):
            future.cancel()

    @lsp_method(types.EXIT)
    def lsp_exit(self, *_: Any) -> None:  # type: ignore[override]  # as above
        """End the process: 0 after a shutdown, else 1, as the specification says."""
        self._server.life.end("the client said exit", 0 if self._stage is _Stage.SHUT else 1)

    @lsp_method(types.WINDOW_WORK_DONE_PROGRESS_CANCEL)
    def lsp_work_done_progress_cancel(self, params: types.WorkDoneProgressCancelParams) -> None:
        """The person pressed cancel on a progress bar."""
        self._server.live.cancelled(params.token)

    @lsp_method(types.WORKSPACE_EXECUTE_COMMAND)
    async def lsp_workspace__execute_command(  # type: ignore[override]  # to be cancellable
        self, params: types.ExecuteCommandParams
    ) -> Any:
        """Run a palette command."""
        command = self.fm.commands.get(params.command)
        if command is None:
            raise JsonRpcInvalidParams(f"there is no command {params.command!r}")
        return await command(params.arguments or [])


def _id_of(frame: dict[str, Any]) -> int | str | None:
    msg_id = frame.get("id")
    return msg_id if isinstance(msg_id, (int, str)) and not isinstance(msg_id, bool) else None
