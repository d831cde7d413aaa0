"""What a runner knows of the steps done is the same live and recalled from the store."""

from __future__ import annotations

from dataclasses import dataclass, field

from hypothesis import given
from hypothesis import strategies as st

from segue.session.engine.memory import Memory, recall

Row = tuple[int, str, int, int, str]


@dataclass
class Live:
    """A memory that is told step by step, and the rows that a store would have."""

    memory: Memory = field(default_factory=Memory)
    rows: list[Row] = field(default_factory=list)

    def step(self, path: str, *, state: str = "ok", mount: bool = False, tries: int = 1) -> int:
        visit = self.memory.enter(path)
        for attempt in range(1, tries + 1):
            last = attempt == tries
            number = len(self.rows) + 1
            self.rows.append((number, path, visit, attempt, state if last else "failed"))
        self.memory.ended(path, len(self.rows), state)
        if mount and state == "ok":
            self.memory.entered_mount(path)
        return visit


def test_visits_count_from_one_in_the_whole_run() -> None:
    live = Live()
    assert [live.step("a"), live.step("b"), live.step("a")] == [1, 1, 2]


def test_the_latest_try_wins_and_a_failed_one_leaves_no_stale_output() -> None:
    live = Live()
    live.step("a")
    live.step("a")
    assert live.memory.outputs == {"a": 2}
    live.step("a", state="failed")
    assert live.memory.outputs == {}
    live.step("a", state="timed_out")
    assert live.memory.outputs == {}


def test_entering_a_mount_again_starts_it_fresh() -> None:
    live = Live()
    live.step("m", mount=True)
    live.step("m/x")
    live.step("m/in", mount=True)
    live.step("m/in/y")
    live.step("after")
    live.step("m", mount=True)
    assert live.memory.outputs == {"m": 6, "after": 5}
    assert live.step("m/x") == 2, "the record counts on"
    assert live.memory.fresh["m/x"] == 1, "ctx.visit starts over"


def test_a_mount_whose_name_only_begins_alike_is_left_alone() -> None:
    live = Live()
    live.step("m2")
    live.step("m2/x")
    live.step("m", mount=True)
    assert live.memory.outputs == {"m2": 1, "m2/x": 2, "m": 3}


def test_a_try_again_reads_what_the_first_try_read() -> None:
    live = Live()
    live.step("a")
    rows = [*live.rows, (2, "a", 2, 1, "failed"), (3, "a", 2, 2, "running")]
    assert recall(rows, frozenset()).outputs == {"a": 1}


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["a", "b", "m", "m/x", "m/n", "m/n/y"]),
        st.sampled_from(["ok", "failed", "timed_out"]),
        st.integers(1, 3),
    ),
    max_size=30,
)


@given(STEPS)
def test_recalled_memory_equals_the_live_one(walked: list[tuple[str, str, int]]) -> None:
    live = Live()
    mounts = frozenset({"m", "m/n"})
    for path, state, tries in walked:
        live.step(path, state=state, mount=path in mounts, tries=tries)
    assert recall(live.rows, mounts) == live.memory
