"""The shortest wire: host and server in this process, calls instead of a protocol.

A `LocalServer` stands for one process. Killing it closes its connections and forgets its objects,
as the kernel would; processes that were killed are proved gone, as a pid would prove it.
"""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast
from unittest import mock

from segue.session import grammar, process, sessions, status, tool
from segue.session.errors import SegueError
from segue.session.ownership import Actor, Who
from segue.session.service import Service

from .crash import Crash, Points
from .wire import Gone, Refused, Said
from .worker import InlineWorker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from segue.session.binding import Binding, Reply
    from segue.session.clock import Clock
    from segue.session.engine.child import Worker
    from segue.session.hosts import Capabilities, Host, Report
    from segue.session.ids import Ids
    from segue.session.process import ProcessIdentity

    from .wire import Line


@dataclass(slots=True)
class Machine:
    """Which of the played processes runs now, and which have ended."""

    current: ProcessIdentity
    started: int = 0
    gone: set[str] = field(default_factory=set)

    def start(self) -> ProcessIdentity:
        """Give the identity of a new process: this one's, with a start of its own."""
        self.started += 1
        return self.current._replace(start=f"{self.current.start}.{self.started}")

    def now(self) -> ProcessIdentity:
        return self.current

    def is_gone(self, identity: ProcessIdentity) -> bool | None:
        if identity.start.startswith(f"{self.current.start.partition('.')[0]}."):
            return identity.start in self.gone
        return process.is_gone(identity)

    @contextmanager
    def running(self) -> Iterator[None]:
        """Have Segue see the played processes."""
        with ExitStack() as stack:
            stack.enter_context(mock.patch.object(process, "current", self.now))
            stack.enter_context(mock.patch.object(status, "is_gone", self.is_gone))
            yield


@dataclass(slots=True)
class LocalWire:
    """Servers in this process."""

    project: Path
    database: Path
    clock: Clock
    ids: Ids
    points: Points
    machine: Machine
    real_workers: bool = False

    def server(self) -> LocalServer:
        return LocalServer(self)


class _PlayedService(Service):
    """A service whose workers are in this process."""

    wire: LocalWire

    def spawn(self) -> Worker:
        if self.wire.real_workers:
            return super().spawn()
        return cast("Worker", InlineWorker(self.wire.points.worker_dies))  # the same calls


class LocalServer:
    """One played process."""

    def __init__(self, wire: LocalWire) -> None:
        self.wire = wire
        self.identity = wire.machine.start()
        self.service = _PlayedService(wire.project, wire.database, wire.clock, wire.ids)
        self.service.wire = wire
        self.bindings: list[Binding] = []
        self.alive = True

    @contextmanager
    def acting(self) -> Iterator[None]:
        """Run as this process; it may die in there."""
        if not self.alive:
            raise Gone
        machine, points = self.wire.machine, self.wire.points
        before, machine.current = machine.current, self.identity
        try:
            yield
        except Crash as crash:
            points.dying = False
            self.kill()
            raise Gone(str(crash)) from None
        finally:
            machine.current = before

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
        with self.acting():
            try:
                binding = self.service.bind(
                    host,
                    session,
                    instance=instance,
                    capabilities=capabilities,
                    port=port,
                    reason=reason,
                    trusted=True,
                )
            except SegueError as error:
                raise Refused(error.code, str(error)) from error
            self.bindings.append(binding)
            return LocalLine(self, binding)

    def elsewhere(self, what: str, *words: Any) -> Said:
        with self.acting():
            try:
                return _ELSEWHERE[what](self.service, *words)
            except SegueError as error:
                return Said(False, str(error), error.code)

    def look(self) -> None:
        for binding in list(self.bindings):
            if binding.closed:
                self.bindings.remove(binding)
                continue
            with self.acting():
                try:
                    binding.pump()
                except SegueError as error:
                    if error.code != "fenced":
                        raise

    def kill(self) -> None:
        if not self.alive:
            return
        self.alive = False
        self.wire.machine.gone.add(self.identity.start)
        for binding in self.bindings:
            binding.closed = True
            if binding.runner is not None:
                binding.runner.evaluator.kill()
            binding.store.close()
        self.service.close()

    def close(self) -> None:
        if not self.alive:
            return
        with self.acting():
            for binding in self.bindings:
                binding.close()
            self.service.close()
        self.alive = False
        self.wire.machine.gone.add(self.identity.start)


_ASKER = Actor(Who.ELSEWHERE)


def _queue(service: Service, name: str, text: str | None, session: str) -> Said:
    prepared = service.queue(name, None, text, sessions.parse_key(session))
    return Said(True, prepared.how, data={"run": prepared.run.id})


def _asked(what: str) -> Callable[..., Said]:
    def ask(service: Service, run: str) -> Said:
        made = service.carry_out(service.find_run(run), _ASKER, what)
        return Said(True, made.state, data={"run": made.id})

    return ask


def _answer(
    service: Service, request: str, choice: str, text: str | None = None, shown: str | None = None
) -> Said:
    digest = None if shown is None else bytes.fromhex(shown)
    service.decide(request, choice, text, digest, _ASKER)
    return Said(True, choice)


def _rebind(service: Service, run: str, session: str) -> Said:
    made = service.rebind(service.find_run(run), sessions.parse_key(session), _ASKER)
    return Said(True, str(made.origin))


_ELSEWHERE: dict[str, Callable[..., Said]] = {
    "queue": _queue,
    "pause": _asked("pause"),
    "resume": _asked("resume"),
    "cancel": _asked("cancel"),
    "answer": _answer,
    "rebind": _rebind,
}


@dataclass(slots=True)
class LocalLine:
    """One attached session of a played process."""

    server: LocalServer
    binding: Binding

    def _do(self, ask: Callable[[], Reply | None]) -> Said:
        with self.server.acting():
            try:
                reply = ask()
            except SegueError as error:
                return Said(False, str(error), error.code)
            if reply is None:
                return Said(True)
            return Said(True, reply.text, "", reply.data, reply.message, reply.notices)

    def _tell(self, ask: Callable[[], Reply | None]) -> Said:
        """A host's event: only a newer attachment may make it fail."""
        said = self._do(ask)
        if not said.ok and said.code != "fenced":
            raise AssertionError(f"a host's event was refused: {said.code}: {said.text}")
        return said

    def command(self, text: str, call: str) -> Said:
        return self._do(lambda: grammar.command(self.binding, text, call))

    def tool(self, arguments: object, call: str) -> Said:
        with self.server.acting():
            made = tool.call(self.binding, arguments, call)
        code = "" if made.ok else str(made.data.get("code", "rejected"))
        return Said(made.ok, made.text, code, made.data, made.message)

    def decide(self, request: str, choice: str, text: str | None, shown: str | None) -> Said:
        digest = None if shown is None else bytes.fromhex(shown)
        actor = Actor(Who.PERSON, self.binding.key)
        return self._do(lambda: self.binding.decide(request, choice, text, digest, actor=actor))

    def seen(self, message: str) -> Said:
        return self._tell(lambda: self.binding.seen(message))

    def report(self, report: Report) -> Said:
        return self._tell(lambda: self.binding.report(report))

    def turn_started(self, cause: str | None) -> Said:
        return self._tell(lambda: self.binding.turn_started(cause))

    def turn_ended(self, outcome: str, text: str, error: str, call: str) -> Said:
        return self._tell(lambda: self.binding.turn_ended(outcome, text, error=error, call=call))

    def compacted(self, event: str) -> Said:
        return self._tell(lambda: self.binding.compacted(event))

    def branch_moved(self, report: Report) -> Said:
        return self._tell(lambda: self.binding.branch_moved(report))

    def forked_from(self, parent: str) -> Said:
        return self._tell(lambda: self.binding.forked_from(parent))

    def close(self) -> Said:
        return self._tell(lambda: self.binding.close())
