"""Random interleavings of everything that people, models, hosts, clocks and crashes do."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from segue.testing.conformance import SHAPES, World, check, local_world
from segue.testing.conformance.flows import ANSWERS, CLEAN, ISSUES
from segue.testing.conformance.model import Good, read

if TYPE_CHECKING:
    from segue.testing.conformance import FakeHost, Said

WHICH = st.integers(0, 7)
FLOWS = ("review", "tour", "fragile", "routed", "asking", "eager")
steps_done: Counter[str] = Counter()
reached: Counter[str] = Counter()
"""How far the interleavings come: what never happens proves nothing."""


class Everything(RuleBasedStateMachine):
    """One project, up to four sessions, any number of processes."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory(prefix="segue-machine-")
        self.world: World = local_world(Path(self.folder.name))
        self.windows: list[FakeHost] = []
        self.sent: list[tuple[dict[str, Any], str]] = []
        self.count = 0
        self.model = Good({**ANSWERS, "try_it": lambda before: ISSUES if before % 2 else CLEAN})

    @initialize(first=st.sampled_from(SHAPES), second=st.sampled_from(SHAPES))
    def open(self, first: Any, second: Any) -> None:
        """Two sessions of one project, one process for both."""
        server = self.world.server()
        self.windows = [
            self.world.host("a", first, server=server),
            self.world.host("b", second, server=server),
        ]
        self.windows[0].hasty = True

    def teardown(self) -> None:
        for state, count in self.world.rows("SELECT state, count(*) FROM runs GROUP BY state"):
            reached[f"run {state}"] += count
        for kind, count in self.world.rows("SELECT kind, count(*) FROM messages GROUP BY kind"):
            reached[f"message {kind}"] += count
        for host in self.world.hosts:
            reached["answers accepted"] += len(host.accepted)
            reached["turns"] += len(host.turns)
        self.world.close()
        self.folder.cleanup()

    def window(self, which: int) -> FakeHost:
        return self.windows[which % len(self.windows)]

    def call(self) -> str:
        self.count += 1
        return f"call-{self.count}"

    # --- what happens: mostly work, and then everything else

    def _works(self, which: int, flow: str, turns: int) -> None:
        """The model does its steps; a session without a run is given one."""
        host = self.window(which)
        for _ in range(turns):
            host.settle()
            if host.turn is None and self.world.live(host.session) is None:
                host.command(flow, self.call())
            if host.turn is None and not host.shape.pushes:
                host.says("Please go on.")
            if host.turn is None:
                return
            self.model.turn(host)

    @rule(which=WHICH, flow=st.sampled_from(FLOWS), turns=st.integers(1, 3))
    def works(self, which: int, flow: str, turns: int) -> None:
        self._works(which, flow, turns)

    @rule(which=WHICH, flow=st.sampled_from(FLOWS), turns=st.integers(1, 3))
    def works_on(self, which: int, flow: str, turns: int) -> None:
        self._works(which, flow, turns)

    @rule(which=WHICH, flow=st.sampled_from(FLOWS))
    def works_a_turn(self, which: int, flow: str) -> None:
        self._works(which, flow, 1)

    @rule(
        which=WHICH,
        what=st.sampled_from(["says", "escapes", "pauses", "resumes", "resumes", "cancels"]),
    )
    def person(self, which: int, what: str) -> None:
        getattr(self, what)(which)

    @rule(which=WHICH, flow=st.sampled_from(FLOWS), again=st.booleans())
    def person_starts(self, which: int, flow: str, again: bool) -> None:
        if again:
            self.starts_again(which)
        else:
            self.starts(which, flow)

    @rule(which=WHICH, choice=st.sampled_from(["go", "go", "redo", "stop", "nonsense"]))
    def person_decides(self, which: int, choice: str) -> None:
        self.decides(which, choice)

    @rule(
        which=WHICH,
        to=WHICH,
        what=st.sampled_from(["pause", "resume", "cancel", "queue", "rebind"]),
    )
    def person_elsewhere(self, which: int, to: int, what: str) -> None:
        if what == "queue":
            self.queues(which, FLOWS[to % len(FLOWS)])
        elif what == "rebind":
            self.rebinds(which, to)
        else:
            self.elsewhere(which, what)

    @rule(
        which=WHICH,
        what=st.sampled_from(["status", "pause", "cancel", "list", "start", "forge"]),
    )
    def model_asks(self, which: int, what: str) -> None:
        if what == "start":
            self.model_starts(which)
        elif what == "forge":
            self.forges(which)
        else:
            self.asks(which, what)

    @rule(
        which=WHICH,
        at=st.integers(1, 12),
        what=st.sampled_from(["settles", "compacts", "moves", "resumes"]),
    )
    def host_does(self, which: int, at: int, what: str) -> None:
        if what == "compacts":
            self.compacts(which, at % 3)
        elif what == "moves":
            self.moves(which, at)
        else:
            getattr(self, what)(which)

    @rule(which=WHICH, what=st.sampled_from(["reopens", "opens_twice", "forks"]))
    def windows_change(self, which: int, what: str) -> None:
        getattr(self, what)(which)

    @rule(
        which=WHICH,
        number=st.integers(1, 14),
        what=st.sampled_from(["server_dies", "will_crash", "will_crash", "worker_dies"]),
    )
    def something_dies(self, which: int, number: int, what: str) -> None:
        if what == "server_dies":
            self.server_dies(which)
        elif what == "will_crash":
            self.will_crash(number)
        else:
            self.worker_dies(1 + number % 2)

    @rule()
    def servers_restart(self) -> None:
        self.restarts()

    @rule(seconds=st.sampled_from([0, 30, 61, 3601]))
    def time_goes_by(self, seconds: int) -> None:
        if seconds:
            self.time_passes(seconds)
        else:
            self.laptop_sleeps()

    # --- people

    def starts(self, which: int, flow: str) -> None:
        self.window(which).command(flow, self.call())

    def starts_again(self, which: int) -> None:
        """The same command is delivered twice."""
        call = self.call()
        self.window(which).command("review", call)
        self.window(which).command("review", call)

    def says(self, which: int) -> None:
        self.window(which).says("Please go on.")

    def escapes(self, which: int) -> None:
        self.world.escape(self.window(which))

    def pauses(self, which: int) -> None:
        self.world.pause(self.window(which))

    def resumes(self, which: int) -> None:
        self.world.resume(self.window(which))

    def cancels(self, which: int) -> None:
        self.world.cancel(self.window(which))

    def decides(self, which: int, choice: str) -> None:
        host = self.window(which)
        request = self.world.request(host.session)
        if request is not None:
            host.decide(request, choice, "because" if choice == "redo" else None)

    def elsewhere(self, which: int, what: str) -> None:
        run = self.world.live(self.window(which).session)
        if run is not None:
            self.world.elsewhere(self.other(), what, run)

    def queues(self, which: int, flow: str) -> None:
        self.world.elsewhere(
            self.other(), "queue", flow, None, f"fake:{self.window(which).session}"
        )

    def rebinds(self, which: int, to: int) -> None:
        run = self.world.live(self.window(which).session)
        if run is not None:
            self.world.elsewhere(self.other(), "rebind", run, f"fake:{self.window(to).session}")

    def other(self) -> Any:
        alive = [s for s in self.world.servers if s.alive]
        return alive[-1] if len(alive) > 1 else self.world.server()

    # --- the model

    @precondition(lambda self: any(h.turn for h in self.windows))
    @rule(which=WHICH, how=st.sampled_from(["good", "issues", "prose", "string", "stale", "twice"]))
    def submits(self, which: int, how: str) -> None:
        host = self.working(which)
        asked = None if host.turn.message is None else read(host.turn.message.text)  # type: ignore[union-attr]
        if asked is None:
            return
        answer = ANSWERS.get(asked.step)
        output: Any = ISSUES if how == "issues" else CLEAN if callable(answer) else answer
        request = asked.request
        if how == "prose":
            output = "It is fine."
        elif how == "string" and isinstance(output, dict):
            output = f"```json\n{output}\n```".replace("'", '"')
        elif how == "stale":
            request = "req_0"
        action = "answer" if asked.how == "The" else "submit"
        self.send(host, {"action": action, "request_id": request, "output": output})
        if how == "twice":
            self.repeat(which)

    def working(self, which: int) -> FakeHost:
        busy = [h for h in self.windows if h.turn is not None]
        return busy[which % len(busy)]

    def send(self, host: FakeHost, call: dict[str, Any]) -> Said:
        self.sent.append((call, host.session))
        return host.tool_raw(call)

    @precondition(lambda self: bool(self.sent))
    @rule(which=WHICH)
    def repeat(self, which: int) -> None:
        """An earlier call again, perhaps in another session."""
        call, _ = self.sent[-1 - which % len(self.sent)]
        self.window(which).tool_raw(call)

    def asks(self, which: int, what: str) -> None:
        host = self.window(which)
        run = self.world.live(host.session)
        how = self.world.silent.pop(run, None) if run and what == "cancel" else None
        said = host.tool_raw({"action": what})
        assert said.ok or said.code, said
        if how and run and not said.ok:
            self.world.silent[run] = how  # its own cancel would be followed by a turn (T10)

    def model_starts(self, which: int) -> None:
        self.window(which).tool_raw({"action": "start", "workflow": "review"})

    def forges(self, which: int) -> None:
        """The model answers whatever is open as if it were the person."""
        host = self.window(which)
        request = self.world.request(host.session)
        kind = self.world.one("SELECT kind FROM requests WHERE id = ?", request)
        go = {"choice": "go", "text": None, "provenance": "human"}
        said = host.tool_raw({"action": "answer", "request_id": request or "-", "output": go})
        assert not (kind == "human" and said.ok), said

    @precondition(lambda self: any(h.turn for h in self.windows))
    @rule(
        which=WHICH,
        outcome=st.sampled_from(["completed", "completed", "completed", "failed"]),
        text=st.sampled_from(["", "I have done it."]),
    )
    def turn_ends(self, which: int, outcome: str, text: str) -> None:
        error = "overloaded" if outcome == "failed" else ""
        self.working(which).ends(outcome, text, error)

    # --- the host

    def settles(self, which: int) -> None:
        self.window(which).settle()

    def compacts(self, which: int, event: int) -> None:
        self.window(which).compacts(f"compaction-{event}")

    def moves(self, which: int, at: int) -> None:
        host = self.window(which)
        if host.turn is None and host.conversation.entries:
            numbers = sorted(host.conversation.entries)
            host.moves(numbers[at % len(numbers)])

    def reopens(self, which: int) -> None:
        """The window is closed and the session opened in a new one."""
        at = which % len(self.windows)
        self.windows[at] = self.world.reopen(self.windows[at])

    def opens_twice(self, which: int) -> None:
        """A second instance opens the same session; the first does not know."""
        if len(self.windows) < 4:
            host = self.window(which)
            second = self.world.host(
                host.session, host.shape, conversation=host.conversation.fork(), reason="resume"
            )
            self.windows.append(second)

    def forks(self, which: int) -> None:
        if len(self.windows) < 4:
            host = self.window(which)
            self.windows.append(self.world.fork(host, f"fork-{len(self.world.hosts)}"))

    # --- processes and time

    def server_dies(self, which: int) -> None:
        self.world.kill(self.window(which))

    def will_crash(self, number: int) -> None:
        """The process that passes the nth point from here dies there."""
        self.world.points.arm(number)

    def restarts(self) -> None:
        """Every window whose server is gone gets a new one: one process for all of them."""
        lost = [h for h in self.windows if h.line is None]
        if lost:
            server = self.world.server()
            for host in lost:
                self.world.restart(host, server if server.alive else None)

    def time_passes(self, seconds: int) -> None:
        self.world.clock.advance(seconds)
        self.look()

    def laptop_sleeps(self) -> None:
        self.world.clock.sleep()
        self.look()

    def look(self) -> None:
        for host in self.windows:
            if host.line is not None:
                host.look()

    def worker_dies(self, times: int) -> None:
        """The next calls of a worker kill it."""
        left = [times]

        def dies(_: dict[str, Any]) -> str | None:
            left[0] -= 1
            return "killed by SIGKILL" if left[0] >= 0 else None

        self.world.points.worker_dies = dies

    # --- after each of them

    @invariant()
    def rules_hold(self) -> None:
        steps_done["steps"] += 1
        self.world.notice()
        for host in self.windows:
            host.flush()
            if host.line is not None and not host.fenced:
                host.look()
        check(self.world)
