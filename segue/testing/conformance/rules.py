"""What has to hold at every moment, whatever happened before: checked from outside.

Everything is read from what is stored and from the transcripts; nothing asks the code under test.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from .host import FakeHost
    from .world import World

NEVER: Final[dict[str, str]] = {
    "O4: a session has one run that has not ended": """
        SELECT session FROM runs WHERE state NOT IN ('completed', 'failed', 'timed_out',
          'cancelled') GROUP BY session HAVING count(*) > 1""",
    "T2: one turn intent is offered at a time": """
        SELECT session FROM messages WHERE state = 'offered' AND kind <> 'notice'
        GROUP BY session HAVING count(*) > 1""",
    "T3: of all that could start the next turn, one is pending": """
        SELECT session FROM messages WHERE state = 'pending' AND kind <> 'notice'
        GROUP BY session HAVING count(*) > 1""",
    "T3: nothing of a run comes after its fallback": """
        SELECT m.id FROM messages m JOIN messages f ON f.run = m.run AND f.kind = 'fallback'
        WHERE m.kind NOT IN ('notice', 'fallback') AND m.pk > f.pk""",
    "T1: a run has one fallback": """
        SELECT run FROM messages WHERE kind = 'fallback' GROUP BY run HAVING count(*) > 1""",
    "T1: the causes of a fallback are a closed list": """
        SELECT id FROM messages WHERE kind = 'fallback' AND cause NOT IN ('agent_cancelled',
          'timed_out', 'failed', 'launch_failed', 'interrupted')""",
    "T7: an attempt has at most two reminders": """
        SELECT run, step FROM messages WHERE kind = 'reminder' GROUP BY run, step
        HAVING count(*) > 2""",
    "T10: a completed or cancelled-by-a-person run has no fallback": """
        SELECT m.id FROM messages m JOIN runs r ON r.pk = m.run WHERE m.kind = 'fallback'
        AND r.state = 'completed'""",
    "D2: no node runs again after it was done": """
        SELECT a.run, a.step FROM attempts a JOIN attempts b ON b.run = a.run AND b.node = a.node
        AND b.visit = a.visit AND b.attempt > a.attempt WHERE a.state = 'ok'""",
    "D2: a visit is entered once": """
        SELECT run, node, visit, attempt FROM attempts GROUP BY run, node, visit, attempt
        HAVING count(*) > 1""",
    "D2: one step is under way": """
        SELECT run FROM attempts WHERE ended_at IS NULL GROUP BY run HAVING count(*) > 1""",
    "D8: a run that waits says why": """
        SELECT id FROM runs WHERE state IN ('waiting', 'paused', 'ambiguous')
        AND coalesce(reason, '') = ''""",
    "D1: a run has one event for each revision": """
        SELECT e.run, e.revision FROM events e WHERE e.run IS NOT NULL AND e.revision > 0
        GROUP BY e.run, e.revision HAVING count(*) > 1""",
    "D1: no revision without its event": """
        SELECT r.id FROM runs r WHERE r.revision <> (SELECT count(*) FROM events e
          WHERE e.run = r.pk AND e.revision > 0)""",
    "D1: an ended run asks nothing": """
        SELECT q.id FROM requests q JOIN runs r ON r.pk = q.run WHERE q.state = 'open'
        AND r.state IN ('completed', 'failed', 'timed_out', 'cancelled')""",
    "O2: a message is of its run's session, unless a person has moved the run": """
        SELECT m.id FROM messages m JOIN runs r ON r.pk = m.run WHERE m.session <> r.session
        AND NOT EXISTS (SELECT 1 FROM events e WHERE e.run = r.pk AND e.kind = 'rebound')""",
    "H3: an answer to a human request says by whom": """
        SELECT q.id FROM requests q JOIN attempts a ON a.run = q.run AND a.step = q.step
        WHERE q.kind = 'human' AND q.state = 'answered'
        AND json_extract(a.output, '$.provenance') NOT IN ('human', 'timeout', 'policy')""",
}
"""By rule: a query that never gives a row."""

STATUSES: Final = frozenset(
    {
        "queued",
        "running",
        "waiting",
        "paused",
        "completed",
        "failed",
        "timed_out",
        "cancelled",
        "ambiguous",
    }
)


def check(world: World) -> None:
    """Check everything that has to hold now.

    Raises:
        AssertionError: With every rule that is broken.
    """
    world.notice()
    found = [*world.broken]
    version = world.one("PRAGMA data_version")
    if version != world.checked:  # else nothing was written since the last time
        world.checked = version
        for rule, sql in NEVER.items():
            rows = world.rows(sql)
            if rows:
                found.append(f"{rule}: {rows}")
        found += _transcripts(world)
    found += _accepted(world)
    found += _standing(world)
    found += _views(world)
    assert not found, "\n".join(found)


def _transcripts(world: World) -> list[str]:
    """T2: once in any line of a conversation; T11, O6: and only in its own session."""
    found = []
    owner = dict(
        world.rows("SELECT m.id, s.id FROM messages m JOIN sessions s ON s.pk = m.session")
    )
    for host in {id(h.conversation): h for h in world.hosts}.values():
        conversation = host.conversation
        if host.shape.proves:
            for line in conversation.lines():
                said = Counter(entry.message for entry in line if entry.message is not None)
                found += [
                    f"T2: {message} is {count} times in the conversation of {host.session}"
                    for message, count in said.items()
                    if count > 1
                ]
        for entry in conversation.entries.values():
            if entry.message is None or entry.message in conversation.inherited:
                continue
            if owner.get(entry.message) != host.session:
                found.append(
                    f"O3: {entry.message} of {owner.get(entry.message)} was said in {host.session}"
                )
    return found


def _accepted(world: World) -> list[str]:
    """D2: what was accepted is kept."""
    told = {request for host in world.hosts for request in host.accepted}
    kept = world.rows(
        "SELECT q.id FROM requests q JOIN attempts a ON a.run = q.run AND a.step = q.step"
        " WHERE q.state = 'answered' AND a.state = 'ok' AND a.output IS NOT NULL"
    )
    lost = told - {request for (request,) in kept}
    return [f"D2: the accepted answer to {request} is not kept" for request in sorted(lost)]


def _standing(world: World) -> list[str]:
    """D8: a run that says it runs has a turn, something to say, or a person who broke in."""
    found = []
    for host in world.holders.values():
        if not _quiet(host) or _person_spoke_last(host):
            continue
        rows = world.rows(
            "SELECT r.id, (SELECT count(*) FROM messages m WHERE m.run = r.pk"
            " AND m.kind <> 'notice' AND m.state IN ('pending', 'offered')) FROM runs r"
            " JOIN sessions s ON s.pk = r.session WHERE s.id = ? AND r.state = 'running'"
            " AND r.asked IS NULL",
            host.session,
        )
        found += [f"D8: {run} runs, and nothing will ever happen" for run, due in rows if not due]
    return found


def _person_spoke_last(host: FakeHost) -> bool:
    """A prompt of their own broke in, or an Escape of which the host says nothing (T4)."""
    if not host.turns:
        return False
    last = host.turns[-1]
    return last.message is None or (
        last.outcome == "aborted" and not host.shape.capabilities.sees_abort
    )


def _quiet(host: FakeHost) -> bool:
    return (
        host.line is not None
        and not host.fenced
        and host.turn is None
        and not host.input
        and not host.held
    )


def _views(world: World) -> list[str]:
    """D7: what is shown is one word of the closed set."""
    return [
        f"D7: {view['status']!r} was shown"
        for host in world.hosts
        for view in host.views[-1:]
        if view.get("run") is not None and view["status"] not in STATUSES
    ]


def silent_turns(world: World) -> list[Any]:
    """T4: what was handed over after a person had stopped the run."""
    return [line for line in world.broken if line.startswith("T4")]
