"""`prepare_or_adopt` (O5): started by identity, adopted by identity, or nothing at all."""

from __future__ import annotations

import multiprocessing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from segue.session.clock import SystemClock
from segue.session.errors import Fenced, LaunchConflict, NotFound, SessionBusy
from segue.session.ownership import SessionKey
from segue.session.store import journal, runs
from segue.session.store.runs import prepare_or_adopt
from segue.session.store.store import Store
from tests.kit import FakeClock, rows
from tests.store.kit import GRAPH, attach, launch

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from segue.session.store.records import Run

OTHER = SessionKey("test", "other")


@pytest.fixture
def state(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "state.sqlite3", FakeClock()) as made:
        yield made


def end(state: Store, run: Run, how: str = "completed") -> None:
    with state.write("test", run) as tx:
        tx.change(state=how, ended_at=tx.now)
        tx.event("ended")


def test_o5_absent_then_reserved_and_claimed_in_one_transaction(state: Store) -> None:
    prepared = prepare_or_adopt(state, "me", launch(), attach(state))
    assert prepared.how == "claimed"
    assert (prepared.run.state, prepared.run.revision) == ("running", 1)
    with state.read() as db:
        events = journal.page(db, prepared.run.pk)
        assert [(e.revision, e.kind, e.actor) for e in events] == [(1, "claimed", "me")]
        assert runs.get(db, "run-a") == prepared.run


def test_o5_without_an_attachment_it_is_queued(state: Store) -> None:
    prepared = prepare_or_adopt(state, "me", launch(), None)
    assert (prepared.how, prepared.run.state) == ("reserved", "queued")


def test_o5_an_identical_repeat_adopts_and_writes_nothing(state: Store) -> None:
    authority = attach(state)
    first = prepare_or_adopt(state, "me", launch(), authority)
    before = rows(state.db)
    again = prepare_or_adopt(state, "me", launch(), authority)
    assert again.how == "adopted"
    assert again.run == first.run
    assert rows(state.db) == before


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("workflow and definition", {"definition": replace(GRAPH, name="v")}),
        ("definition", {"definition": replace(GRAPH, max_steps=10)}),
        ("source reference", {"source_ref": "user:w"}),
        ("sources", {"sources": (("w", "w.py", "11"),)}),
        ("sources", {"sources": (("w", "w.py", "00"), ("n", "n.py", "00"))}),
        ("input", {"input": {"a": 2, "b": [2]}}),
        ("input", {"input": {"a": True, "b": [2]}}),
        ("launch options", {"options": {}}),
        ("origin session", {"origin": OTHER}),
        ("parent run", {"parent": "run-p"}),
    ],
)
def test_o5_any_other_fact_is_a_conflict_that_names_it_and_writes_nothing(
    state: Store, name: str, change: dict[str, Any]
) -> None:
    prepare_or_adopt(state, "me", launch(), attach(state))
    before = rows(state.db)
    with pytest.raises(LaunchConflict, match=f"started before with another {name};"):
        prepare_or_adopt(state, "me", launch(**change), None)
    assert rows(state.db) == before


def test_o5_json_is_compared_canonically(state: Store) -> None:
    prepare_or_adopt(state, "me", launch(options={"x": 1, "y": 2}), attach(state))
    before = rows(state.db)
    same = launch(input={"b": [2], "a": 1}, options={"y": 2, "x": 1})
    assert prepare_or_adopt(state, "me", same, None).how == "adopted"
    assert rows(state.db) == before


def test_o5_lines_and_places_of_the_source_do_not_make_another_definition(state: Store) -> None:
    prepare_or_adopt(state, "me", launch(), attach(state))
    moved = {"a": replace(GRAPH.nodes["a"], line=77, module="elsewhere")}
    again = launch(definition=replace(GRAPH, nodes=moved))
    assert prepare_or_adopt(state, "me", again, None).how == "adopted"


def test_o5_who_asks_and_when_is_no_fact_and_takes_nothing_over(state: Store) -> None:
    first = prepare_or_adopt(state, "me", launch(), attach(state))
    newer = attach(state)
    assert isinstance(state.clock, FakeClock)
    state.clock.advance(9)
    before = rows(state.db)
    again = prepare_or_adopt(state, "somebody", launch(project="/elsewhere", texts=()), newer)
    assert (again.how, again.run) == ("adopted", first.run)
    assert rows(state.db) == before


@pytest.mark.parametrize("how", ["completed", "failed", "timed_out", "cancelled"])
def test_o5_an_ended_run_is_adopted_as_it_is(state: Store, how: str) -> None:
    first = prepare_or_adopt(state, "me", launch(), attach(state))
    end(state, first.run, how)
    before = rows(state.db)
    again = prepare_or_adopt(state, "me", launch(), None)
    assert (again.how, again.run.state) == ("adopted", how)
    assert rows(state.db) == before


def test_o4_a_session_has_one_run_that_has_not_ended(state: Store) -> None:
    first = prepare_or_adopt(state, "me", launch(), attach(state))
    before = rows(state.db)
    with pytest.raises(SessionBusy, match=r"already has run run-a .*segue cancel run-a"):
        prepare_or_adopt(state, "me", launch(run_id="run-b"), None)
    assert rows(state.db) == before
    end(state, first.run)
    assert prepare_or_adopt(state, "me", launch(run_id="run-b"), None).how == "reserved"


def test_o4_sessions_do_not_hold_up_each_other(state: Store) -> None:
    prepare_or_adopt(state, "me", launch(), None)
    other = prepare_or_adopt(state, "me", launch(run_id="run-b", origin=OTHER), None)
    assert other.how == "reserved"


def test_o5_a_claim_that_fails_leaves_nothing_behind(state: Store) -> None:
    old = attach(state)
    attach(state)
    before = rows(state.db)
    with pytest.raises(Fenced):
        prepare_or_adopt(state, "me", launch(), old)
    assert rows(state.db) == before


def test_o5_another_session_s_attachment_claims_nothing(state: Store) -> None:
    authority = attach(state, OTHER)
    before = rows(state.db)
    with pytest.raises(Fenced, match=r"test:other, not of test:s"):
        prepare_or_adopt(state, "me", launch(), authority)
    assert rows(state.db) == before


def test_o5_a_crash_between_reserving_and_the_commit_leaves_nothing(
    state: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    authority = attach(state)
    before = rows(state.db)
    real = runs._reserve

    def dies(*args: Any) -> None:
        real(*args)
        raise KeyboardInterrupt

    monkeypatch.setattr(runs, "_reserve", dies)
    with pytest.raises(KeyboardInterrupt):
        prepare_or_adopt(state, "me", launch(), authority)
    assert rows(state.db) == before


def test_o5_the_parent_is_an_ended_run_of_the_same_session(state: Store) -> None:
    parent = prepare_or_adopt(state, "me", launch(run_id="run-p"), None).run
    child = launch(parent="run-p")
    before = rows(state.db)
    with pytest.raises(LaunchConflict, match="run-p has not ended"):
        prepare_or_adopt(state, "me", child, None)
    with pytest.raises(LaunchConflict, match="run-p belongs to session test:s"):
        prepare_or_adopt(state, "me", child._replace(origin=OTHER), None)
    with pytest.raises(NotFound, match="run-q"):
        prepare_or_adopt(state, "me", child._replace(parent="run-q"), None)
    assert rows(state.db) == before
    end(state, parent)
    made = prepare_or_adopt(state, "me", child, None)
    assert (made.how, made.run.parent) == ("reserved", "run-p")
    with state.read() as db:
        assert runs.get(db, "run-p") is not None


def test_equal_sources_of_two_runs_are_kept_once(state: Store) -> None:
    first = prepare_or_adopt(state, "me", launch(), None)
    end(state, first.run)
    prepare_or_adopt(state, "me", launch(run_id="run-b"), None)
    assert state.db.execute("SELECT count(*) FROM blobs").fetchone() == (1,)
    assert state.db.execute("SELECT count(*) FROM definitions").fetchone() == (1,)


def _race(path: Path, gate: Any, said: Any) -> None:
    with Store(path, SystemClock()) as store:
        gate.wait()
        said.put(prepare_or_adopt(store, "me", launch(), None).how)


def test_p_c12_two_processes_with_the_same_launch_one_starts_it_and_one_adopts(
    tmp_path: Path,
) -> None:
    context = multiprocessing.get_context("spawn")
    Store(tmp_path / "s", SystemClock()).close()
    gate, said = context.Barrier(4), context.SimpleQueue()
    racers = [context.Process(target=_race, args=(tmp_path / "s", gate, said)) for _ in range(4)]
    for racer in racers:
        racer.start()
    for racer in racers:
        racer.join()
    assert sorted(said.get() for _ in racers) == ["adopted"] * 3 + ["reserved"]


def test_p_c12_a_launch_that_loses_the_race_after_its_look_adopts(
    state: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Store.write
    with Store(tmp_path / "state.sqlite3", FakeClock()) as rival:

        def late(self: Store, *args: Any, **kw: Any) -> Any:
            if self is state:
                monkeypatch.setattr(Store, "write", real)
                prepare_or_adopt(rival, "rival", launch(), None)
            return real(self, *args, **kw)

        monkeypatch.setattr(Store, "write", late)
        assert prepare_or_adopt(state, "me", launch(), None).how == "adopted"


def test_o8_a_run_is_named_by_its_id_or_an_unambiguous_beginning(state: Store) -> None:
    one = prepare_or_adopt(state, "me", launch(run_id="run-aa"), None).run
    two = prepare_or_adopt(state, "me", launch(run_id="run-ab", origin=OTHER), None).run
    with state.read() as db:
        assert runs.find(db, "run-aa") == one
        assert runs.find(db, "run-ab") == two
        with pytest.raises(NotFound, match="could be any of run-ab, run-aa"):
            runs.find(db, "run-a")
        for none in ("", "x", "%", "run_aa", "RUN-AA%"):
            with pytest.raises(NotFound):
                runs.find(db, none)
