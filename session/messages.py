"""What is said in a session because of a run: the identity, cause and text of each message.

Called inside the write that makes it necessary, so that a message exists exactly when its reason
does. Nothing here sends anything: that is `delivering.py`.
"""

from __future__ import annotations

import base64
import hashlib
from typing import TYPE_CHECKING, Final

from . import text as texts
from .canonical import canonical
from .engine.state import RunEvent
from .store import messages

if TYPE_CHECKING:
    from .engine.route import Stop
    from .store.records import Attempt, Request, Run
    from .store.tx import Tx
    from .workflow.snapshot import Definition, NodeDef

REMINDERS: Final = 2
"""Reminders of one attempt (T7)."""
CHAIN: Final = 2
"""Starts that fallbacks may lead to, one after the other (T10)."""
FALLBACK_CAUSES: Final = (
    "agent_cancelled",
    "timed_out",
    "failed",
    "launch_failed",
    "interrupted",
)
"""The closed list of T1."""
_CAUSE: Final = {RunEvent.FAIL: "failed", RunEvent.TIME_OUT: "timed_out"}


def message_id(run: Run, kind: str, event: str, cause: str, attempt: Attempt | None = None) -> str:
    """Give a message's id: one source event makes at most one (T1)."""
    source = [
        run.origin.host,
        run.origin.id,
        run.id,
        kind,
        event,
        *(["", 0, 0] if attempt is None else [attempt.node, attempt.visit, attempt.attempt]),
        cause,
    ]
    data = hashlib.sha256(canonical(source).encode()).digest()
    return "msg-" + base64.b32encode(data[:15]).decode().lower()


class Voice:
    """What a runner's writes say in the run's session."""

    def __init__(self, definition: Definition) -> None:
        self.definition = definition

    def asked(
        self, tx: Tx, run: Run, node: NodeDef, attempt: Attempt, request: Request, prompt: str
    ) -> None:
        """A step asks the model: a turn intent. A person is asked by a notice."""
        said = str(texts.step_text(self.definition.name, node, request.id, prompt))
        if node.human:
            self._notice(
                tx, run, "asked", request.id, texts.human_notice(run, node, request, prompt)
            )
            return
        self._turn(tx, run, "step", "asked", request.id, said, attempt, request)

    def noted(self, tx: Tx, run: Run, attempt: Attempt, said: str) -> None:
        """A notify step: stable for its visit, so a retry after a crash says it once."""
        cause = f"{attempt.node}#{attempt.visit}"
        self._notice(tx, run, "notify", cause, said, step=attempt.step)

    def closed(self, tx: Tx, run: Run, attempt: Attempt) -> None:
        """A step has ended: what it still had to say is void."""
        messages.withdraw(tx, run.pk, attempt.step)

    def ended(self, tx: Tx, run: Run, stop: Stop, path: str) -> None:
        """A run has ended by itself: a notice where it completed, one fallback turn else (T10)."""
        if stop.event is RunEvent.COMPLETE:
            how = f" ({stop.exit})" if stop.exit else ""
            said = f"Workflow {run.workflow} is done{how}, run {run.id}."
            self._notice(tx, run, "completed", run.id, said)
            return
        self.fallback(tx, run, _CAUSE[stop.event], stop.reason or "", path)

    def fallback(self, tx: Tx, run: Run, cause: str, reason: str, path: str) -> None:
        """Tell the model what was observed and what it may do; claims and retries nothing."""
        assert cause in FALLBACK_CAUSES
        said = texts.fallback_text(run.workflow, run.id, cause, reason, path)
        if chain_of(run) >= CHAIN:
            self._notice(tx, run, cause, run.id, f"{said} (Not started again by itself.)")
            return
        self._turn(tx, run, "fallback", cause, run.id, said)

    def parked(self, tx: Tx, run: Run, reason: str, detail: str) -> None:
        """A run stands still: the person is told, once for each time."""
        said = f"Workflow {run.workflow} waits: {detail or reason}"
        self._notice(tx, run, f"parked:{reason}", str(run.revision), said)

    def intent(
        self,
        tx: Tx,
        run: Run,
        attempt: Attempt,
        request: Request,
        kind: str,
        cause: str,
        prompt: str,
    ) -> None:
        """Say an open step again: as a reminder, after a resume, after a compaction."""
        node = self.definition.node(attempt.node)
        said = texts.again(
            kind, str(texts.step_text(self.definition.name, node, request.id, prompt))
        )
        if kind == "reminder":
            said = texts.reminder(self.definition.name, node, request.id)
        self._turn(tx, run, kind, cause, request.id, said, attempt, request)

    def _turn(
        self,
        tx: Tx,
        run: Run,
        kind: str,
        event: str,
        cause: str,
        said: str,
        attempt: Attempt | None = None,
        request: Request | None = None,
    ) -> None:
        """Add an intent; it takes the place of one that is pending, unless it is that one."""
        made = message_id(run, kind, event, cause, attempt)
        new = messages.add(
            tx,
            made,
            run.session,
            kind,
            event,
            said,
            run=run.pk,
            step=None if attempt is None else attempt.step,
            request=None if request is None else request.pk,
        )
        if new:
            messages.supersede(tx, run.session, made)

    def _notice(
        self, tx: Tx, run: Run, event: str, cause: str, said: str, step: int | None = None
    ) -> None:
        messages.add(
            tx,
            message_id(run, "notice", event, cause),
            run.session,
            "notice",
            event,
            said,
            run=run.pk,
            step=step,
        )


def chain_of(run: Run) -> int:
    """Give how many fallbacks in a row led to this run."""
    import json

    chain: int = json.loads(run.launch).get("chain", 0)
    return chain
