"""Rules that show only in what is stored: launches by identity, the write recipe, texts, causes."""

from __future__ import annotations

import os
import sqlite3
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from segue.session import process
from segue.session import text as texts
from segue.session.engine.state import TERMINAL, RunState
from segue.session.errors import Conflict, Fenced, LaunchConflict, NotFound, SessionBusy, StateError
from segue.session.hosts import Capabilities
from segue.session.messages import FALLBACK_CAUSES, message_id
from segue.session.ownership import TABLE, Act, SessionKey, Who
from segue.session.service import Service
from segue.session.store import messages, migrations, runs
from segue.session.store.store import Store
from segue.session.workflow.snapshot import NodeDef
from segue.testing.conformance.flows import ANSWERS
from segue.testing.conformance.model import Good

if TYPE_CHECKING:
    from collections.abc import Callable

    from segue.session.store.records import Run
    from segue.session.store.tx import Tx
    from segue.testing.conformance import World


def service(world: World) -> Service:
    made: Service = world.servers[-1].service  # type: ignore[attr-defined]  # a local one
    return made


def write(store: Store, body: Callable[[Tx], None], run: Run | None = None) -> None:
    """Do something in one write."""
    with store.write("test", run) as tx:
        body(tx)
        tx.event("test")


@pytest.fixture
def launch(world: World) -> runs.Launch:
    """What a launch of `review` in session a is made of."""
    world.host("a")
    made = service(world)
    loaded = made.load_trusted("review")
    return runs.Launch(
        run_id="run-one",
        origin=SessionKey("fake", "a"),
        definition=loaded.definition,
        source_ref=loaded.found.ref,
        sources=loaded.sources,
        texts=loaded.texts,
        input={"a": 1, "b": [2]},
        options={"folder": "f", "module": "m"},
        parent=None,
        project=str(world.project),
    )


def prepare(world: World, launch: runs.Launch, authority: Any = None) -> runs.Prepared:
    return runs.prepare_or_adopt(service(world).store, "test", launch, authority)


def test_a_launch_with_the_same_facts_is_adopted(world: World, launch: runs.Launch) -> None:
    """O5: JSON is compared canonically; nothing is written, and an ended run is adopted too."""
    assert prepare(world, launch).how == "reserved"
    before = world.dump()
    same = launch._replace(input={"b": [2], "a": 1}, options={"module": "m", "folder": "f"})
    assert prepare(world, same).how == "adopted"
    assert world.dump() == before
    world.elsewhere(world.servers[-1], "cancel", "run-one")
    world.hosts[0].look()
    before = world.dump()
    assert prepare(world, same).run.state in TERMINAL
    assert world.dump() == before


@pytest.mark.parametrize(
    ("fact", "other"),
    [
        ("workflow", {"definition": "renamed"}),
        ("source reference", {"source_ref": "path:/elsewhere"}),
        ("definition", {"definition": "changed"}),
        ("sources", {"sources": (("review", "review.py", "00"),)}),
        ("input", {"input": {"a": 1, "b": [3]}}),
        ("launch options", {"options": {"folder": "g", "module": "m"}}),
        ("origin session", {"origin": SessionKey("fake", "b")}),
        ("parent run", {"parent": "run-zero"}),
    ],
)
def test_each_of_the_eight_facts_alone_makes_a_conflict(
    world: World, launch: runs.Launch, fact: str, other: dict[str, Any]
) -> None:
    """O5: and nothing is written."""
    prepare(world, launch)
    if "definition" in other:
        changes: dict[str, dict[str, Any]] = {
            "renamed": {"name": "other"},
            "changed": {"max_steps": 7},
        }
        other = {"definition": replace(launch.definition, **changes[other["definition"]])}
    before = world.dump()
    with pytest.raises(LaunchConflict, match=fact):
        prepare(world, launch._replace(**other))
    assert world.dump() == before


def test_a_launch_that_cannot_be_claimed_leaves_nothing(world: World, launch: runs.Launch) -> None:
    """O5: reserve and claim are one transaction."""
    old = world.hosts[0].line.binding.authority  # type: ignore[union-attr]  # a local line
    world.host("a")
    before = world.dump()
    with pytest.raises(Fenced):
        prepare(world, launch, old)
    assert world.dump() == before
    with pytest.raises((NotFound, LaunchConflict)):
        prepare(world, launch._replace(parent="run-zero"))
    assert world.dump() == before
    prepare(world, launch)
    with pytest.raises(SessionBusy):
        prepare(world, launch._replace(run_id="run-two"))


def test_a_write_on_a_moved_schema_stops(world: World) -> None:
    """D1: it says which program to restart, and writes nothing."""
    host = world.host("a")
    host.command("review")
    db = sqlite3.connect(world.database)
    db.execute(f"PRAGMA user_version = {migrations.LATEST + 1}")
    db.close()
    before = world.dump()
    said = host.command("cancel")
    assert (said.ok, said.code) == (False, "state_error")
    assert "restart" in said.text
    assert world.dump() == before


def test_a_write_on_an_old_revision_is_refused(world: World) -> None:
    """D1: reload and decide again; the event and the rows are one."""
    host = world.host("a")
    host.command("review")
    store, run = service(world).store, service(world).find_run(str(world.live("a")))
    with store.write("test", run) as tx:
        tx.event("test")
    before = world.dump()
    with pytest.raises(Conflict):
        write(store, lambda tx: tx.change(state="failed"), run)
    with pytest.raises(RuntimeError):
        write(store, lambda tx: tx.event("a second one"))
    assert world.dump() == before


def test_no_migration_while_another_version_is_attached(world: World) -> None:
    """D1: the other one would write with the old rules."""
    world.host("a")
    alive = process.of(os.getpid())
    assert alive is not None
    db = sqlite3.connect(world.database)
    db.execute("UPDATE attachments SET segue = '0.0.1', started = ?", (alive.start,))
    db.execute("PRAGMA user_version = 1")
    db.commit()
    db.close()
    with pytest.raises(StateError, match=r"attached by Segue 0\.0\.1"):
        Store(world.database, world.clock)


def test_one_source_event_makes_one_message(world: World) -> None:
    """T1: the id is a digest of all that the message is because of."""
    host = world.host("a")
    host.command("review")
    made = service(world)
    run = made.find_run(str(world.live("a")))
    attempt = host.line.binding.runner.attempt  # type: ignore[union-attr]  # a local line
    base = message_id(run, "step", "asked", "req_1", attempt)
    assert base == message_id(run, "step", "asked", "req_1", attempt)
    others = {
        message_id(run, "reminder", "asked", "req_1", attempt),
        message_id(run, "step", "again", "req_1", attempt),
        message_id(run, "step", "asked", "req_2", attempt),
        message_id(run._replace(id="run-x"), "step", "asked", "req_1", attempt),
        message_id(run._replace(origin=SessionKey("fake", "b")), "step", "asked", "req_1", attempt),
        *(
            message_id(run, "step", "asked", "req_1", attempt._replace(**change))
            for change in ({"node": "x"}, {"visit": 2}, {"attempt": 2})
        ),
    }
    assert len(others) == 8
    assert base not in others
    before = world.dump()["messages"]
    with made.store.write("test") as tx:
        assert not messages.add(tx, base, run.session, "step", "asked", "x", run=run.pk)
        tx.event("test")
    assert world.dump()["messages"] == before
    assert set(FALLBACK_CAUSES) == {
        "agent_cancelled", "timed_out", "failed", "launch_failed", "interrupted",
    }  # fmt: skip


def test_messages_move_only_forward(world: World) -> None:
    """T2, P-B4: every move of the table, and each illegal one refused without a change."""
    host = world.host("a")
    host.says("Wait.")
    host.command("review")
    store = service(world).store

    def message() -> messages.Message:
        with store.read() as db:
            return messages.of_session(db, 1)[-1]

    pending = message()
    with store.write("test") as tx:
        messages.offer(tx, pending, "push", "c1")
        tx.event("test")
    for stale in (pending, pending._replace(state="seen"), pending._replace(state="cancelled")):
        with pytest.raises(Conflict):
            write(store, partial(messages.move, message=stale, state="pending"))
    with pytest.raises(Conflict):
        write(store, partial(messages.offer, message=pending, door="at_stop", call="c2"))
    assert (message().state, message().door, message().call) == ("offered", "push", "c1")


@pytest.mark.parametrize("kind", ["agent", "assistant", "checkpoint", "human"])
@pytest.mark.parametrize("schema", [None, {"type": "object", "properties": {}}])
def test_what_segue_adds_to_a_prompt_is_small(kind: Any, schema: Any) -> None:
    """T12: guard and contract together at most 700 characters, schema and prompt not counted."""
    node = NodeDef(
        path="a_mount/of_an_included_workflow/a_node_with_a_long_name",
        kind="checkpoint" if kind == "human" else kind,
        schema=schema,
        human=kind == "human",
        choices=("go", "redo", "stop") if kind == "human" else (),
    )
    made = texts.step_text("a-workflow-with-a-long-name", node, "req_" + "x" * 24, "The prompt.")
    assert len(made.guard) + len(made.contract) <= 700
    whole = str(made)
    assert "do not hand it to another agent" in whole
    assert "req_" in whole
    assert node.path in whole
    assert "end your turn" in whole
    again = texts.step_text("a-workflow-with-a-long-name", node, "req_" + "x" * 24, "The prompt.")
    assert whole == str(again)


def test_the_ownership_table_is_the_one_that_was_agreed() -> None:
    """O3, H1: literal, actor by actor; nobody else has a row."""
    assert set(TABLE) == set(Who)
    assert TABLE[Who.MODEL].isdisjoint({Act.RESUME, Act.ANSWER_HUMAN, Act.REBIND, Act.QUEUE})
    assert TABLE[Who.PERSON] - TABLE[Who.MODEL] == {Act.RESUME, Act.ANSWER_HUMAN, Act.REBIND}
    assert TABLE[Who.ELSEWHERE].isdisjoint({Act.START, Act.SUBMIT, Act.UPDATE, Act.DRIVE})
    assert TABLE[Who.RUNNER] == {Act.DRIVE, Act.STATUS, Act.READ}


def test_the_statuses_are_a_closed_set() -> None:
    """D7: nine words, of which four are ends."""
    assert [str(state) for state in RunState] == [
        "queued", "running", "waiting", "paused", "completed", "failed", "timed_out", "cancelled",
        "ambiguous",
    ]  # fmt: skip
    assert {"completed", "failed", "timed_out", "cancelled"} == TERMINAL


def test_the_token_is_kept_as_a_hash_only(world: World) -> None:
    """O7, S2: a row that is read is no credential."""
    host = world.host("a")
    token = host.line.binding.authority.token  # type: ignore[union-attr]  # a local line
    assert token not in world.database.read_bytes()
    wal = world.database.with_name(world.database.name + "-wal")
    assert token not in wal.read_bytes()
    assert world.database.stat().st_mode & 0o777 == 0o600


def test_a_session_is_bound_to_one_project_for_ever(world: World, tmp_path: Any) -> None:
    """O1, P-A7: another folder's process is told where the session lives, and changes nothing."""
    world.host("a").command("review")
    other = tmp_path / "other"
    other.mkdir()
    database = world.database.parents[1] / "other-2" / "state.sqlite3"
    database.parent.mkdir(mode=0o700)
    with Service(other, database, world.clock) as elsewhere:
        before = world.dump()
        with pytest.raises(StateError, match="belongs to project"):
            elsewhere.bind("fake", "a", instance="x", capabilities=Capabilities())
        assert world.dump() == before


def test_two_recoverers_run_a_body_once(world: World) -> None:
    """P-C3, D2: a stale snapshot executes nothing after ownership has gone on."""
    host = world.host("a")
    host.command("review")
    stale = host.line.binding.runner  # type: ignore[union-attr]  # a local line
    world.kill(host)
    world.restart(host)
    model = Good(dict(ANSWERS))
    host.play(model)
    before = world.dump()
    stale.store = stale.evaluator.store = service(world).store
    with pytest.raises((Conflict, Fenced)):
        stale.submit("req_1", ANSWERS["inspect"](1))
    assert world.dump() == before
