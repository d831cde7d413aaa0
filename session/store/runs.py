"""Runs: reading them, and the launch by identity (O5)."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from segue import __version__

from ..canonical import Json, canonical, compact, digest_text
from ..errors import Fenced, LaunchConflict, NotFound, SessionBusy
from ..ownership import SessionKey
from . import attachments
from .records import Authority, Run
from .values import text_of

if TYPE_CHECKING:
    from ..workflow.snapshot import Definition
    from .store import Store
    from .tx import Tx

_COLUMNS: Final = (
    "r.pk, r.id, r.session, r.workflow, r.source_ref, r.definition, r.sources, r.input, r.launch,"
    " r.parent, r.project, r.segue, r.state, r.reason, r.detail, r.revision, r.step, r.steps,"
    " r.worker_deaths, r.asked, r.asked_by, r.output, r.exit, r.created_at, r.updated_at,"
    " r.ended_at, s.host, s.id"
)
_FROM: Final = f"SELECT {_COLUMNS} FROM runs r JOIN sessions s ON s.pk = r.session"  # noqa: S608
TERMINAL: Final = ("completed", "failed", "timed_out", "cancelled")


class Launch(NamedTuple):
    """What starts a run: its id and the eight facts that make it this run (O5).

    `sources` lists `[module, file, digest]` of every pinned source; their texts are in `texts`.
    """

    run_id: str
    origin: SessionKey
    definition: Definition
    source_ref: str
    sources: tuple[tuple[str, str, str], ...]
    texts: tuple[str, ...]
    input: Json
    options: dict[str, Any]
    parent: str | None
    project: str


class Prepared(NamedTuple):
    """How a launch went."""

    how: Literal["claimed", "reserved", "adopted"]
    run: Run


def _run(row: Any) -> Run:
    return Run(*(*row[:-2], SessionKey(row[-2], row[-1])))


def get(db: sqlite3.Connection, run_id: str) -> Run | None:
    row = db.execute(f"{_FROM} WHERE r.id = ?", (run_id,)).fetchone()
    return None if row is None else _run(row)


def by_pk(db: sqlite3.Connection, pk: int) -> Run:
    return _run(db.execute(f"{_FROM} WHERE r.pk = ?", (pk,)).fetchone())


def find(db: sqlite3.Connection, text: str) -> Run:
    """Give the run that a person names by its id or the beginning of it.

    Raises:
        NotFound: For none, or several (which are named, O8).
    """
    exact = get(db, text)
    if exact is not None:
        return exact
    escaped = text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    rows = db.execute(
        f"{_FROM} WHERE r.id LIKE ? ESCAPE '\\' ORDER BY r.pk DESC LIMIT 6", (escaped + "%",)
    ).fetchall()
    if not text or not rows:
        raise NotFound(f"there is no run {text!r}; `segue runs` lists them")
    if len(rows) > 1:
        names = ", ".join(_run(row).id for row in rows)
        raise NotFound(f"{text!r} could be any of {names}: give more of the id")
    return _run(rows[0])


def latest(db: sqlite3.Connection, limit: int, before: int | None = None) -> list[Run]:
    """Give the newest runs, newest first."""
    where = "" if before is None else "WHERE r.pk < ?"
    args = (limit,) if before is None else (before, limit)
    rows = db.execute(f"{_FROM} {where} ORDER BY r.pk DESC LIMIT ?", args).fetchall()
    return [_run(row) for row in rows]


def latest_from(db: sqlite3.Connection, references: tuple[str, ...]) -> Run | None:
    """Give the newest run of a workflow file, whichever of these names it was started by.

    Only the latest 500 runs are looked at: what is shown beside a file must not grow slower with
    the number of runs kept.
    """
    marks = ",".join("?" * len(references))
    row = db.execute(
        f"{_FROM} WHERE r.pk > (SELECT coalesce(max(pk), 0) FROM runs) - 500"  # noqa: S608
        f" AND r.source_ref IN ({marks}) ORDER BY r.pk DESC LIMIT 1",
        references,
    ).fetchone()
    return None if row is None else _run(row)


def live(db: sqlite3.Connection, limit: int = 200) -> list[Run]:
    """Give the runs that have not ended, newest first."""
    rows = db.execute(
        f"{_FROM} WHERE r.state NOT IN ('completed', 'failed', 'timed_out', 'cancelled')"
        " ORDER BY r.pk DESC LIMIT ?",
        (limit,),
    ).fetchall()
    return [_run(row) for row in rows]


def live_of(db: sqlite3.Connection, session: int) -> Run | None:
    """Give the run of a session that has not ended, if there is one."""
    row = db.execute(
        f"{_FROM} WHERE r.session = ? AND r.state NOT IN"
        " ('completed', 'failed', 'timed_out', 'cancelled')",
        (session,),
    ).fetchone()
    return None if row is None else _run(row)


def shown_of(db: sqlite3.Connection, session: int) -> Run | None:
    """Give the session's latest run, unless a person took it off the screen."""
    row = db.execute(
        f"{_FROM} WHERE r.session = ? AND r.pk > coalesce(s.cleared, 0) ORDER BY r.pk DESC LIMIT 1",
        (session,),
    ).fetchone()
    return None if row is None else _run(row)


def end(tx: Tx, state: str, reason: str | None) -> None:
    """End a run: what was asked of it is done with."""
    tx.change(state=state, reason=reason, detail=None, asked=None, asked_by=None, ended_at=tx.now)


def rebind(tx: Tx, session: int) -> None:
    """Move a run to another session: only ever because a person said so (O2).

    Raises:
        SessionBusy: That session has a run that has not ended (O4).
    """
    check_free(tx.db, session)
    tx.change(session=session)


def check_free(db: sqlite3.Connection, session: int) -> None:
    """Let a session pass that has no run under way.

    Raises:
        SessionBusy: It has one (O4).
    """
    busy = live_of(db, session)
    if busy is not None:
        raise SessionBusy(f"session {busy.origin} already has run {busy.id} ({busy.workflow})")


def prepare_or_adopt(
    store: Store, actor: str, launch: Launch, authority: Authority | None
) -> Prepared:
    """Start a run by its identity, or adopt the one that was started with the same facts (O5).

    One transaction. With `authority` the new run is claimed by that attachment at once;
    without, it is reserved as queued. Adopting writes nothing and activates nothing.

    Raises:
        LaunchConflict: The id was launched with other facts; names them.
        SessionBusy: The session has another run that has not ended (O4).
        Fenced: The caller's attachment is not the session's any more; nothing is left behind.
    """
    with store.read() as db:
        existing = get(db, launch.run_id)
        if existing is not None:
            return _adopt(db, existing, launch)
    try:
        with store.write(actor) as tx:
            existing = get(tx.db, launch.run_id)
            if existing is not None:
                raise _Raced
            _reserve(tx, launch, authority)
        assert tx.run is not None
        return Prepared("claimed" if authority else "reserved", tx.run)
    except _Raced:
        return prepare_or_adopt(store, actor, launch, authority)
    except sqlite3.IntegrityError as error:
        raise SessionBusy(
            f"session {launch.origin} already has a run that has not ended; cancel it first"
        ) from error


class _Raced(Exception):
    """Another process launched the same run between our look and our write."""


def _facts(launch: Launch) -> tuple[tuple[str, object], ...]:
    """The eight facts, JSON in its canonical spelling."""
    return (
        ("workflow", launch.definition.name),
        ("source reference", launch.source_ref),
        ("definition", launch.definition.digest()),
        ("sources", canonical([list(source) for source in launch.sources])),
        ("input", canonical(launch.input)),
        ("launch options", canonical(launch.options)),
        ("origin session", launch.origin),
        ("parent run", launch.parent),
    )


def _adopt(db: sqlite3.Connection, run: Run, launch: Launch) -> Prepared:
    stored = (
        run.workflow,
        run.source_ref,
        run.definition,
        run.sources,
        text_of(db, run.input),
        run.launch,
        run.origin,
        run.parent,
    )
    changed = [
        name for (name, fact), old in zip(_facts(launch), stored, strict=True) if fact != old
    ]
    if changed:
        raise LaunchConflict(
            f"run {run.id} was started before with another {' and '.join(changed)}; start a new run"
        )
    return Prepared("adopted", run)


def _reserve(tx: Tx, launch: Launch, authority: Authority | None) -> None:
    db = tx.db
    if authority is not None and authority.key != launch.origin:
        raise Fenced(f"this attachment is of {authority.key}, not of {launch.origin}")
    session = attachments.session_pk(tx, launch.origin)
    if authority is not None:
        attachments.verify(db, authority)
    if launch.parent is not None:
        _check_parent(db, launch)
    busy = live_of(db, session)
    if busy is not None:
        raise SessionBusy(
            f"session {launch.origin} already has run {busy.id} ({busy.workflow}, {busy.state});"
            f" end it first: segue cancel {busy.id}"
        )
    key = launch.definition.digest()
    db.execute(
        "INSERT INTO definitions VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
        (key, launch.definition.name, tx.value(compact(launch.definition.to_json())), tx.now),
    )
    for text in launch.texts:
        db.execute(
            "INSERT INTO blobs (digest, data) VALUES (?, ?) ON CONFLICT DO NOTHING",
            (digest_text(text), text.encode("utf-8", "surrogatepass")),
        )
    facts = dict(_facts(launch))
    cursor = db.execute(
        "INSERT INTO runs (id, session, workflow, source_ref, definition, sources, input, launch,"
        " parent, project, segue, state, revision, step, steps, created_at, updated_at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, 0, ?, ?)",
        (
            launch.run_id,
            session,
            launch.definition.name,
            launch.source_ref,
            key,
            facts["sources"],
            tx.value(str(facts["input"])),
            facts["launch options"],
            launch.parent,
            launch.project,
            __version__,
            "running" if authority else "queued",
            tx.now,
            tx.now,
        ),
    )
    assert cursor.lastrowid is not None
    tx.adopt(by_pk(db, cursor.lastrowid))
    tx.event("claimed" if authority else "queued", {"workflow": launch.definition.name})


def _check_parent(db: sqlite3.Connection, launch: Launch) -> None:
    parent = get(db, launch.parent or "")
    if parent is None:
        raise NotFound(f"the parent run {launch.parent} does not exist")
    if parent.origin != launch.origin:
        raise LaunchConflict(f"parent run {parent.id} belongs to session {parent.origin}")
    if parent.state not in TERMINAL:
        raise LaunchConflict(f"parent run {parent.id} has not ended ({parent.state})")
