"""A host that is not one: transcript, turns, queued input, Escape, and every way to go wrong.

What a host may do is its `Shape`. Events reach Segue after the call in which they arose, as over
a real protocol; the server may be gone by then, and they are lost.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from segue.session.hosts import Capabilities, Door, Evidence, Report, Taken

from .conversation import Conversation
from .wire import Gone, Said

if TYPE_CHECKING:
    from collections.abc import Callable

    from segue.session.hosts import Offer

    from .crash import Points
    from .model import Model
    from .wire import Line, Server

LOST = Said(False, "the server is gone", "gone")


@dataclass(frozen=True, slots=True, repr=False)
class Shape:
    """What a kind of host can do, prove and get wrong.

    Attributes:
        name: For the tests' names.
        capabilities: What its adapter declares.
        defers: It takes a push, says that it is idle, and puts the message in later.
        loses_acks: The answer to a push and the word that it was seen never arrive.
        doubles_acks: They arrive twice.
        names_turns: It tells which message began a turn.
    """

    name: str
    capabilities: Capabilities
    defers: bool = False
    loses_acks: bool = False
    doubles_acks: bool = False
    names_turns: bool = True

    @property
    def pushes(self) -> bool:
        return Door.PUSH in self.capabilities.doors

    @property
    def proves(self) -> bool:
        return self.capabilities.evidence is Evidence.ENTRY

    def __repr__(self) -> str:
        return self.name


def _can(*doors: Door, evidence: Evidence = Evidence.ENTRY, **more: bool) -> Capabilities:
    return Capabilities(doors=frozenset(doors), evidence=evidence, **more)


PUSH = Shape("push", _can(Door.PUSH))
SHAPES: tuple[Shape, ...] = (
    PUSH,
    Shape("push-receipt", _can(Door.PUSH, evidence=Evidence.RECEIPT)),
    Shape("push-nothing-proved", _can(Door.PUSH, evidence=Evidence.NONE)),
    Shape("push-in-turn", _can(Door.PUSH, Door.IN_TURN)),
    Shape("at-stop", _can(Door.AT_STOP, evidence=Evidence.NONE, wake=False)),
    Shape("at-stop-entry", _can(Door.AT_STOP, wake=False)),
    Shape("at-stop-in-turn", _can(Door.AT_STOP, Door.IN_TURN, evidence=Evidence.NONE, wake=False)),
    Shape("in-turn", _can(Door.IN_TURN, evidence=Evidence.NONE, wake=False, reply_text=False)),
    Shape("deferring", _can(Door.PUSH), defers=True),
    Shape("losing", _can(Door.PUSH), loses_acks=True),
    Shape("doubling", _can(Door.PUSH), doubles_acks=True),
    Shape("silent-escape", _can(Door.PUSH, sees_abort=False)),
    Shape("nameless-turns", _can(Door.PUSH), names_turns=False),
)


@dataclass(slots=True)
class HostTurn:
    """One turn: begun by a message of Segue's or by the person."""

    message: Offer | None
    outcome: str = ""


@dataclass(slots=True)
class Handed:
    """A message that reached the host's hands, in order, with who was silent then."""

    offer: Offer
    door: Door


@dataclass(eq=False)
class FakeHost:
    """One instance of a host with one session open. It is also the port that Segue pushes to."""

    session: str
    shape: Shape
    instance: str
    points: Points
    conversation: Conversation = field(default_factory=Conversation)
    kind: str = "fake"
    line: Line | None = None
    server: Server | None = None
    turn: HostTurn | None = None
    turns: list[HostTurn] = field(default_factory=list)
    handed: list[Handed] = field(default_factory=list)
    held: list[Offer] = field(default_factory=list)
    input: list[str] = field(default_factory=list)
    """What the person typed while a turn ran."""
    views: list[dict[str, Any]] = field(default_factory=list)
    shown: list[str] = field(default_factory=list)
    aborts: int = 0
    refusals: int = 0
    """Offers that came while the session was not idle."""
    accepted: list[str] = field(default_factory=list)
    """Requests whose answer was accepted, as the model was told."""
    fenced: bool = False
    """A newer instance has taken over; nothing that this one says is heard."""
    hasty: bool = False
    """The server looks around before it hears of what has happened here."""
    on_handed: Callable[[Offer], None] | None = None
    _events: deque[Callable[[Line], Any]] = field(default_factory=deque)
    _calls: int = 0

    # --- the port: Segue speaks

    def offer(self, offer: Offer) -> Taken:
        self.points.at("host: not offered")
        if self.turn is not None or self.input:
            self.refusals += 1
            return Taken.BUSY
        self._hand(offer, Door.PUSH)
        if not offer.starts_turn:
            self._put(offer)
        elif self.shape.defers:
            self.held.append(offer)
            self.points.at("host: taken")
            return Taken.TAKEN
        else:
            self._put(offer)
            self._begin(offer)
        self.points.at("host: offered")
        if self.shape.loses_acks:
            raise BrokenPipeError("the answer was lost")
        return Taken.SEEN

    def report(self) -> Report:
        self.points.at("host: not reported")
        return self.found()

    def found(self) -> Report:
        """Say what the conversation holds; without entries as proof, only whether it is idle."""
        idle = self.turn is None and not self.input
        if not self.shape.proves:
            return Report(frozenset(), idle=idle, full=False)
        held = frozenset(offer.id for offer in self.held)
        return Report(frozenset(self.conversation.messages()), held, idle)

    def abort_turn(self) -> None:
        self.points.at("host: not aborted")
        self.aborts += 1
        if self.turn is not None:
            self._over("aborted", "", "")

    def changed(self, view: dict[str, Any]) -> None:
        self.views.append(view)

    def _hand(self, offer: Offer, door: Door) -> None:
        self.handed.append(Handed(offer, door))
        if self.on_handed is not None:
            self.on_handed(offer)

    def _put(self, offer: Offer) -> None:
        self.conversation.add("segue", offer.text, offer.id)
        times = 0 if self.shape.loses_acks else 2 if self.shape.doubles_acks else 1
        for _ in range(times):
            self._events.append(lambda line: line.seen(offer.id))

    def _begin(self, offer: Offer | None) -> None:
        self.turn = HostTurn(offer)
        self.turns.append(self.turn)
        if offer is None:
            cause: str | None = "user"
        else:
            cause = offer.id if self.shape.names_turns else None
        for _ in range(2 if self.shape.doubles_acks and offer is not None else 1):
            self._events.append(lambda line: line.turn_started(cause))

    def _over(self, outcome: str, text: str, error: str) -> HostTurn:
        turn, self.turn = self.turn, None
        assert turn is not None
        turn.outcome = outcome
        if text:
            self.conversation.add("model", text)
        if outcome != "aborted" or self.shape.capabilities.sees_abort:
            call = self._call()
            self._events.append(lambda line: self._ended(line, outcome, text, error, call))
        return turn

    def _ended(self, line: Line, outcome: str, text: str, error: str, call: str) -> Said:
        if self.shape.proves and not self.shape.pushes:
            line.report(self.found())
        said = line.turn_ended(outcome, text, error, call)
        self.shown.extend(said.notices)
        if said.message is not None:
            assert self.turn is None
            self._hand(said.message, Door.AT_STOP)
            self._put(said.message)
            self._begin(said.message)
        return said

    # --- connecting

    def attach(self, server: Server, reason: str = "startup") -> None:
        """Connect to a server process: a first one, or one after a crash."""
        self.server = server
        port = self if self.shape.pushes else None
        self.line = server.attach(
            port,
            self.session,
            host=self.kind,
            instance=self.instance,
            capabilities=self.shape.capabilities,
            reason=reason,
        )
        self._ask(lambda line: line.report(self.found()))
        self.flush()

    def forked_from(self, parent: str) -> None:
        """Say which session this conversation is a copy of."""
        self._ask(lambda line: line.forked_from(parent))
        self.flush()

    def detach(self) -> None:
        """Let go of the session, in order."""
        self._ask(lambda line: line.close())
        self.line = None

    def _ask(self, ask: Callable[[Line], Any]) -> Any:
        if self.line is None:
            return LOST
        try:
            said = ask(self.line)
        except Gone:
            self.line = None
            return LOST
        if isinstance(said, Said) and said.code == "fenced":
            self.fenced = True
        return said

    def flush(self, *, first: bool = False) -> None:
        """Tell Segue what happened meanwhile; lost where the server is gone.

        `first`: before it looks around, as the wire's order has it for what a report shows too.
        """
        if (
            self.hasty
            and not first
            and self._events
            and self.server is not None
            and self.line is not None
        ):
            try:
                self.server.look()
            except Gone:
                self.line = None
        while self._events:
            self._ask(self._events.popleft())

    def _call(self) -> str:
        self._calls += 1
        return f"{self.instance}-{self._calls}"

    # --- the person

    def command(self, text: str, call: str = "") -> Said:
        """Type `/workflow text`."""
        call = call or self._call()
        said: Said = self._ask(lambda line: line.command(text, call))
        self._carry(said)
        self.flush()
        return said

    def decide(
        self, request: str, choice: str, text: str | None = None, shown: str | None = None
    ) -> Said:
        """Choose in the host's dialog."""
        said: Said = self._ask(lambda line: line.decide(request, choice, text, shown))
        self.flush()
        return said

    def says(self, text: str) -> None:
        """Type a prompt: it waits while a turn runs."""
        if self.turn is not None:
            self.input.append(text)
            return
        self.conversation.add("person", text)
        self._begin(None)
        self.flush()

    def escapes(self) -> None:
        """Press Escape: the turn ends, and what was held is lost without a word."""
        self.held.clear()
        if self.turn is not None:
            self._over("aborted", "", "")
        elif self.shape.capabilities.sees_abort:
            call = self._call()
            self._events.append(lambda line: self._ended(line, "aborted", "", "", call))
        self.flush(first=True)

    def compacts(self, event: str) -> None:
        """The conversation is compacted."""
        self.conversation.add("compaction", event)
        self._ask(lambda line: line.compacted(event))
        self.flush()

    def moves(self, number: int | None) -> None:
        """Go to another branch of the conversation."""
        self.conversation.move(number)
        self._ask(lambda line: line.branch_moved(self.found()))
        self.flush()

    # --- the model

    def tool(self, **arguments: Any) -> Said:
        """Call the `workflow` tool in the running turn."""
        return self.tool_raw(arguments)

    def tool_raw(self, arguments: object, call: str = "") -> Said:
        """Call the tool with whatever a model sends."""
        call = call or self._call()
        said: Said = self._ask(lambda line: line.tool(arguments, call))
        if said is not LOST:
            carried = None if said.message is None else said.message.id
            self.conversation.add("tool", said.text, carried)
            if said.data.get("accepted") is True:
                self.accepted.append(said.data["request"])
        self._carry(said)
        self.flush()
        return said

    def _carry(self, said: Said) -> None:
        if said.message is not None:
            self._hand(said.message, Door.IN_TURN)
            if self.turn is not None:
                self.turn.message = said.message

    def ends(self, outcome: str = "completed", text: str = "", error: str = "") -> None:
        """The model's turn is over; what the person typed meanwhile comes next."""
        self._over(outcome, text, error)
        self.flush()
        self.settle()

    # --- time passes

    def settle(self) -> None:
        """Let come what was put off: typed input first, then what was deferred."""
        if self.turn is None and self.input:
            self.conversation.add("person", self.input.pop(0))
            self._begin(None)
        elif self.turn is None and self.held:
            offer = self.held.pop(0)
            self._put(offer)
            self._begin(offer)
        self.flush()

    def play(self, model: Model, turns: int = 60) -> None:
        """Let the model work until nothing happens any more."""
        for _ in range(turns):
            self.settle()
            if self.server is not None and self.line is not None:
                self.look()
            if self.turn is None and not self.held and not self.input:
                return
            if self.turn is not None:
                model.turn(self)
        raise AssertionError(f"{turns} turns and no end in session {self.session}")

    def look(self) -> None:
        """Let the server notice the time and other processes' commits."""
        server = self.server
        if server is None:
            return
        try:
            server.look()
        except Gone:
            self.line = None
        self.flush()
