"""The conformance kit's wire through `segue/*`: every call and answer is JSON of the protocol.

Played processes as the kit's own: what a server does with a message is done by the same
handlers, in-line and with the kit's clock; frames and threads are other tests' business.
"""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast
from unittest import mock

from pygls.exceptions import JsonRpcException

from segue.plugin.server import dispatch, registry
from segue.plugin.server.attached import SessionService
from segue.plugin.server.sessions import Sessions
from segue.session import sessions as ids
from segue.session.errors import SegueError
from segue.session.hosts import Offer
from segue.session.ownership import Actor, Who
from segue.testing.conformance.local import LocalServer, LocalWire
from segue.testing.conformance.wire import Refused, Said
from segue.testing.conformance.worker import InlineWorker

if TYPE_CHECKING:
    from segue.plugin.server.attached import Attached
    from segue.plugin.server.server import SegueServer
    from segue.session.engine.child import Worker
    from segue.session.hosts import Capabilities, Host, Report
    from segue.testing.conformance.wire import Line


def wired(value: Any) -> Any:
    """What the other end reads."""
    return json.loads(json.dumps(value, allow_nan=False))


class PlayedService(SessionService):
    """A session's service with the kit's state, clock, ids and workers."""

    def __init__(self, wire: LocalWire, project: Any) -> None:
        super().__init__(project)
        self.database, self.clock, self.ids = wire.database, wire.clock, wire.ids
        self.wire = wire

    def spawn(self) -> Worker:
        if self.wire.real_workers:
            return super().spawn()
        return cast("Worker", InlineWorker(self.wire.points.worker_dies))  # the same calls


class ClientEnd:
    """The client's answers to the server, by session."""

    def __init__(self) -> None:
        self.ports: dict[str, Host | None] = {}

    def ask(self, method: str, params: Any, _seconds: float, _asker: object) -> Any:
        params = wired(params)
        port = self.ports[params["session"]["id"]]
        if port is None:
            raise ConnectionError("this host cannot be pushed to")
        if method == "segue/offer":
            named = {key: params[key] for key in ("id", "kind", "text", "details")}
            return {"taken": str(port.offer(Offer(**named, starts_turn=params["startsTurn"])))}
        if method == "segue/abort":
            port.abort_turn()
            return {}
        assert method == "segue/conversation"
        return wired(findings(port.report()))

    def drop(self, _asker: object) -> None:
        """Nothing is under way here between two calls."""

    def notify(self, method: str, params: Any) -> None:
        params = wired(params)
        port = self.ports[params["session"]["id"]]
        if method == "segue/changed" and port is not None:
            port.changed(params["view"])


def findings(report: Report) -> dict[str, Any]:
    return {
        "entries": sorted(report.entries),
        "queued": sorted(report.queued),
        "idle": report.idle,
        "full": report.full,
    }


class ProtocolWire(LocalWire):
    """Servers in this process, behind the protocol."""

    def server(self) -> ProtocolServer:
        return ProtocolServer(self)


class ProtocolServer(LocalServer):
    """One played process that is spoken to in `segue/*` alone."""

    def __init__(self, wire: LocalWire) -> None:
        super().__init__(wire)
        self.client = ClientEnd()
        played = SimpleNamespace(
            protocol=self.client,
            sessions=Sessions(),
            session_service=lambda project: PlayedService(wire, project),
        )
        self.server = cast("SegueServer", played)  # what handlers use of it

    def request(self, method: str, params: dict[str, Any]) -> Any:
        row = registry.BINDING[method]
        return wired(dispatch.perform(self.server, method, row, wired(params)))

    def attach(
        self,
        port: Host | None,
        session: Any,
        *,
        host: str,
        instance: str,
        capabilities: Capabilities,
        reason: str,
    ) -> Line:
        hello = {
            "protocol": 1,
            "host": host,
            "session": session,
            "instance": instance,
            "cwd": str(self.wire.project),
            "reason": reason,
            "capabilities": _abilities(capabilities),
            "trusted": True,
        }
        if isinstance(session, str):
            self.client.ports[session] = port
        with self.acting():
            try:
                with mock.patch.object(ids, "project_of", return_value=str(self.wire.project)):
                    self.request("segue/attach", hello)
            except SegueError as error:
                raise Refused(error.code, str(error)) from error
            attached = self.server.sessions.get(host, session)
            self.bindings.append(attached.binding)
            attached.host.there = True
            attached.binding.pump()
            return ProtocolLine(self, attached)


def _abilities(given: Capabilities) -> dict[str, Any]:
    names = {"reply_text": "replyText", "sees_abort": "seesAbort"}
    return {names.get(name, name): value for name, value in given.to_json().items()}


class ProtocolLine:
    """One attached session at the other end of the protocol."""

    def __init__(self, server: ProtocolServer, attached: Attached) -> None:
        self._server, self._attached = server, attached
        self._name = {"host": attached.key.host, "id": attached.key.id}

    def _say(self, method: str, **params: Any) -> Said:
        with self._server.acting():
            try:
                made = self._server.request(f"segue/{method}", {"session": self._name, **params})
            except SegueError as error:
                code = "fenced" if error.code == "not_attached" else error.code
                return Said(False, str(error), code)
        return _said(made or {})

    def _tell(self, method: str, **params: Any) -> Said:
        said = self._say(method, **params)
        if not said.ok and said.code != "fenced":
            raise AssertionError(f"a host's event was refused: {said.code}: {said.text}")
        return said

    def command(self, text: str, call: str) -> Said:
        return self._say("command", text=text, id=call)

    def tool(self, arguments: object, call: str) -> Said:
        try:
            return self._say("tool", arguments=arguments, id=call)
        except (TypeError, ValueError, JsonRpcException):
            return Said(False, "it is not JSON", "usage")  # cannot even be sent

    def decide(self, request: str, choice: str, text: str | None, shown: str | None) -> Said:
        """As the answer to `segue/ask` is taken."""
        digest = None if shown is None else bytes.fromhex(shown)
        binding = self._attached.binding
        with self._server.acting():
            try:
                actor = Actor(Who.PERSON, binding.key)
                reply = binding.decide(request, choice, text, digest, actor=actor)
            except SegueError as error:
                return Said(False, str(error), error.code)
        return Said(True, reply.text, data=reply.data)

    def seen(self, message: str) -> Said:
        return self._tell("seen", message=message)

    def report(self, report: Report) -> Said:
        return self._tell("report", **findings(report))

    def turn_started(self, cause: str | None) -> Said:
        return self._tell("turnStarted", cause=cause)

    def turn_ended(self, outcome: str, text: str, error: str, call: str) -> Said:
        return self._tell("turnEnded", outcome=outcome, text=text, error=error, id=call)

    def compacted(self, event: str) -> Said:
        return self._tell("compacted", event=event)

    def branch_moved(self, report: Report) -> Said:
        return self._tell("branchMoved", report=findings(report))

    def forked_from(self, parent: str) -> Said:
        """The kit says so after the attach, the protocol in it."""
        with self._server.acting():
            self._attached.binding.forked_from(parent)
        return Said(True)

    def close(self) -> Said:
        return self._tell("detach")


def _said(made: dict[str, Any]) -> Said:
    message = made.get("message")
    offer = None
    if message is not None:
        named = {key: message[key] for key in ("id", "kind", "text", "details")}
        offer = Offer(**named, starts_turn=message["startsTurn"])
    data = made.get("data", {})
    ok = made.get("ok", True)
    code = "" if ok else str(data.get("code", "rejected"))
    return Said(ok, made.get("text", ""), code, data, offer, tuple(made.get("notices", ())))
