"""The driver of a run: every kind of node, every way a step can end, and what a crash leaves."""

from __future__ import annotations

import json
import os
import select
import signal
from typing import TYPE_CHECKING, Any

import pytest

from segue.session import limits, recovery
from segue.session.engine import child
from segue.session.errors import Conflict, Fenced, NotFound, SegueError
from segue.session.process import ProcessIdentity, is_gone
from segue.session.store import requests, steps
from tests.kit import Desk, FakeClock, desk, drive, event_kinds, revisions, trail

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from segue.session.runner import Runner
    from segue.session.store.records import Request


@pytest.fixture
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    monkeypatch.setattr(child, "TICK_SECONDS", 0.01)
    made = desk(tmp_path)
    yield made
    made.close()


def clock(room: Desk) -> FakeClock:
    assert isinstance(room.clock, FakeClock)
    return room.clock


def store_of(runner: Runner) -> list[tuple[str, int, int, str]]:
    return trail(runner.store, runner.run.pk)


def open_request(runner: Runner) -> Request:
    assert runner.request is not None
    return runner.request


# --- every kind of node


EVERY = """
class Out(BaseModel):
    route: Literal["again", "on"]

class Inner(BaseModel):
    n: int

inner = Workflow("inner", input=Inner, start="x")
@inner.compute
def x(ctx: Context[Inner]) -> int:
    return ctx.input.n * 10 + ctx.visit
@inner.agent(output=Out)
def y(ctx: Context[Inner]) -> str:
    return f"visit {ctx.visit}, x is {ctx.output(x)}"
inner.edge(x, y)
done = inner.exit("done", y, output=Out)

wf = Workflow("every", start="c")
@wf.compute
def c(ctx: Context[Any]) -> int:
    return ctx.visit
m = wf.include("m", inner, input=lambda ctx: Inner(n=ctx.output(c)))
@wf.assistant(max_chars=10)
def say(ctx: Context[Any]) -> str:
    return f"say {ctx.output(m.exit(done)).route}"
@wf.checkpoint()
def ask(ctx: Context[Any]) -> str:
    return "which one?"
@wf.human_decision(choices=("ship", "drop"), text=("drop",))
def approve(ctx: Context[Any]) -> str:
    return "ship it?"
@wf.notify
def note(ctx: Context[Any]) -> str:
    return f"{ctx.output(ask)} {ctx.output(approve).choice}"
nap = wf.wait("nap", seconds=60)
@wf.action(effect="idempotent")
def act(ctx: Context[Any]) -> str:
    return ctx.effect_key.partition(":")[2] + " " + ctx.output(note)
@wf.shell(effect="idempotent", parse=lambda r: r.stdout.strip(), env={"WORD": "said"})
def cmd(ctx: Context[Any]) -> list[str]:
    assert ctx.output(nap) is None
    return ["sh", "-c", 'echo "$WORD" "$1"', "-", ctx.output(act)]
wf.edge(c, m)
wf.switch(m.exit(done), on="route", cases={"again": c, "on": say})
wf.edge(say, ask)
wf.edge(ask, approve)
wf.edge(approve, note)
wf.edge(note, nap)
wf.edge(nap, act)
wf.edge(act, cmd)
"""


def test_every_kind_of_node_in_one_run(room: Desk) -> None:
    room.write("every", EVERY)
    runner = room.start("every")
    said = []
    answers: dict[str, list[Any]] = {
        "m/y": [{"route": "again"}, {"route": "on"}],
        "say": ["far too long a text", "short"],
        "ask": ["this one"],
        "approve": [{"choice": "drop"}, {"choice": "drop", "text": "why"}],
    }
    standing = runner.advance()
    while standing.kind == "asking":
        assert standing.attempt is not None
        said.append(standing.text)
        raw = answers[standing.attempt.node].pop(0)
        runner.submit(open_request(runner).id, raw)
        standing = runner.advance()
    assert standing.kind == "sleeping"
    assert (runner.run.state, runner.run.reason) == ("waiting", "wait")
    clock(room).sleep(60)
    standing = runner.advance()
    assert (standing.kind, standing.run.state) == ("ended", "completed")
    assert standing.run.output == '"said act#1 this one drop"'
    assert said == [
        "visit 1, x is 11",
        "visit 1, x is 21",  # entered again, a mount starts fresh
        "say on",
        "say on",
        "which one?",
        "ship it?",
        "ship it?",
    ]
    assert revisions(runner.store, runner.run.pk) == list(range(1, runner.run.revision + 1))


def test_a_run_goes_on_in_another_process_as_if_nothing_had_been(room: Desk) -> None:
    room.write("every", EVERY)
    runner = room.start("every")
    answers: dict[str, list[Any]] = {
        "m/y": [{"route": "again"}, {"route": "on"}],
        "say": ["short"],
        "ask": ["this one"],
        "approve": [{"choice": "ship"}],
    }
    for _ in range(50):
        runner = room.again(runner)
        standing = runner.advance()
        if standing.kind == "sleeping":
            clock(room).sleep(60)
        elif standing.kind == "asking":
            assert standing.attempt is not None
            runner.submit(open_request(runner).id, answers[standing.attempt.node].pop(0))
        else:
            break
    assert runner.run.output == '"said act#1 this one ship"'


def test_c_callbacks_that_a_time_limit_comes_from(room: Desk) -> None:
    room.write(
        "w",
        """
wf = Workflow("w", start="a")
@wf.agent(timeout=lambda ctx: 5.0 * ctx.visit)
def a(ctx: Context[Any]) -> str:
    return "go"
@wf.compute(timeout=lambda ctx: 1 / 0)
def b(ctx: Context[Any]) -> int:
    return 1
wf.edge(a, b)
""",
    )
    runner = room.start("w")
    runner.advance()
    assert runner.budget is not None
    assert runner.budget.limit == 5
    standing = drive(runner, {"a": [None]})
    assert standing.run.state == "failed"
    assert "ZeroDivisionError" in (standing.run.reason or "")


def test_a_time_limit_that_fails_in_a_resumed_step_fails_the_step(room: Desk) -> None:
    room.write(
        "w",
        """
wf = Workflow("w", start="a")
def limit(ctx):
    if Path("broken").exists():
        raise ValueError("no limit today")
    return 5.0
@wf.agent(timeout=limit)
def a(ctx: Context[Any]) -> str:
    return "go"
""",
    )
    runner = room.start("w")
    runner.advance()
    (room.project / "broken").touch()
    standing = room.again(runner).advance()
    assert standing.run.state == "failed"
    assert "no limit today" in (standing.run.reason or "")


# --- how a step ends


ROUTES = """
wf = Workflow("w", start="a")
@wf.compute(timeout=8)
def a(ctx: Context[Any]) -> int:
    {body}
@wf.compute
def ok(ctx: Context[Any]) -> str:
    return "ok"
@wf.compute
def bad(ctx: Context[Any]) -> str:
    return "bad " + str(ctx.latest(a, "no output"))
{edges}
"""
RAISE, HANG = "raise ValueError('bad luck')", "while True: pass"
OUTCOME = 'wf.switch(a, on=OUTCOME, cases={"ok": ok, "failed": bad, "timed_out": None})'
FAILURE = "wf.edge(a, ok)\nwf.on_failure(a, bad)"


@pytest.mark.parametrize(
    ("body", "edges", "state", "output", "walked"),
    [
        ("return 1", OUTCOME, "completed", '"ok"', ["a", "ok"]),
        (RAISE, OUTCOME, "completed", '"bad no output"', ["a", "bad"]),
        (RAISE, FAILURE, "completed", '"bad no output"', ["a", "bad"]),
        (RAISE, "wf.edge(a, ok)\nwf.edge(ok, bad)", "failed", None, ["a"]),
        (HANG, FAILURE, "completed", '"bad no output"', ["a", "bad"]),
        (HANG, OUTCOME, "completed", None, ["a"]),
        (HANG, "wf.edge(a, ok)\nwf.edge(ok, bad)", "timed_out", None, ["a"]),
    ],
)
def test_where_a_step_leads_by_how_it_ended(
    room: Desk,
    monkeypatch: pytest.MonkeyPatch,
    body: str,
    edges: str,
    state: str,
    output: str | None,
    walked: list[str],
) -> None:
    room.write("w", ROUTES.format(body=body, edges=edges))
    runner = room.start("w")
    if body == HANG:
        monkeypatch.setattr(runner, "tick", lambda: clock(room).advance(10))
    standing = runner.advance()
    assert (standing.run.state, standing.run.output) == (state, output)
    assert [node for node, _, _, _ in store_of(runner)] == walked
    if state != "completed":
        assert standing.run.reason in (
            f"ValueError: bad luck ({room.project}/.segue/workflows/w.py:11, node 'a')",
            "took more than its 8 s",
        )


def test_max_steps_ends_a_loop_with_the_step_that_was_next(room: Desk) -> None:
    room.write(
        "w",
        """
class Out(BaseModel):
    go: bool
wf = Workflow("w", start="a", max_steps=5)
@wf.compute
def a(ctx: Context[Any]) -> int:
    return ctx.visit
@wf.compute
def b(ctx: Context[Any]) -> Out:
    return Out(go=True)
wf.edge(a, b)
wf.switch(b, on="go", cases={True: a, False: None})
""",
    )
    standing = room.start("w").advance()
    assert standing.run.state == "failed"
    assert standing.run.reason == "max_steps: 5 steps are done and 'b' was next"


def test_p_j1_a_prompt_over_the_ceiling_parks_the_run_and_names_the_cure(room: Desk) -> None:
    room.write(
        "w",
        """
wf = Workflow("w", start="big")
@wf.compute
def big(ctx: Context[Any]) -> str:
    return "x" * 1_000_000
@wf.agent()
def a(ctx: Context[Any]) -> str:
    if not Path("short").exists():
        return ctx.output(big)
    return ctx.excerpt(ctx.output(big), 500)
wf.edge(big, a)
""",
    )
    runner = room.start("w")
    standing = runner.advance()
    assert (standing.kind, standing.run.reason) == ("parked", "prompt_too_long")
    assert "ctx.excerpt" in (standing.run.detail or "")
    (room.project / "short").touch()
    runner.resume()
    standing = runner.advance()
    assert standing.kind == "asking"
    assert len(standing.text) < 1000
    assert "output:big" in standing.text


# --- answers


ASK = """
class Out(BaseModel):
    n: int
wf = Workflow("w", start="a")
@wf.agent(output=Out, timeout=60)
def a(ctx: Context[Any]) -> str:
    return "how many?"
@wf.agent(output=Out)
def b(ctx: Context[Any]) -> str:
    return f"{ctx.output(a).n} it was; now?"
wf.edge(a, b)
"""


@pytest.fixture
def asking(room: Desk) -> Runner:
    room.write("w", ASK)
    runner = room.start("w")
    assert runner.advance().kind == "asking"
    return runner


def test_p_i8_a_rejected_answer_stays_on_the_same_attempt_and_its_text_is_kept(
    asking: Runner,
) -> None:
    request = open_request(asking)
    receipt = asking.submit(request.id, {"n": "many"})
    assert not receipt.accepted
    assert "n: expected a valid integer" in receipt.message
    assert '"many" (string)' in receipt.message
    assert asking.advance().kind == "asking"
    assert open_request(asking).id == request.id
    assert open_request(asking).rejected == 1
    assert store_of(asking) == [("a", 1, 1, "asked")]
    with asking.store.read() as db:
        assert [raw for raw, _ in requests.rejections(db, request)] == ['{"n":"many"}']


def test_p_i6_the_same_answer_again_is_told_so(asking: Runner) -> None:
    request = open_request(asking)
    first = asking.submit(request.id, {"n": "many"})
    again = asking.submit(request.id, {"n": "many"})
    other = asking.submit(request.id, {"n": "more"})
    assert again.message == first.message + (
        "\nThis is the same answer as before: change what is named above."
    )
    assert "same answer" not in other.message


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        ("not json {", "not JSON at line 1"),
        ({"n": float("nan")}, "not JSON"),
        ({"n": "\ud800"}, "surrogate"),
        ("\ud800", "surrogate"),
        ("x" * (limits.ANSWER_CHARS + 1), "at most 1,000,000"),
        ({"n": "x" * 2_000_000}, "at most 1,000,000"),
        (json.loads("[" * 200 + "]" * 200), "nested more than 64 deep"),
    ],
)
def test_s4_what_is_no_answer_at_all_is_rejected_and_costs_nothing(
    asking: Runner, raw: Any, said: str
) -> None:
    request = open_request(asking)
    receipt = asking.submit(request.id, raw)
    assert not receipt.accepted
    assert said in receipt.message
    assert asking.run.worker_deaths == 0
    assert asking.submit(request.id, {"n": 1}).accepted


def test_p_i10_a_fenced_answer_is_taken_once_and_recorded_as_normalized(asking: Runner) -> None:
    receipt = asking.submit(open_request(asking).id, '```json\n{"n": 3}\n```')
    assert (receipt.accepted, receipt.normalized) == (True, True)
    assert asking.advance().text == "3 it was; now?"


def test_t2_an_identical_submit_gets_the_saved_receipt_and_never_a_second_step(
    asking: Runner, room: Desk
) -> None:
    request = open_request(asking)
    first = asking.submit(request.id, {"n": 1})
    assert asking.submit(request.id, {"n": 1}) == first
    asking.advance()
    again = room.again(asking)
    assert again.submit(request.id, {"n": 1}) == first
    assert store_of(again) == [("a", 1, 1, "ok"), ("b", 1, 1, "asked")]
    with pytest.raises(Conflict, match=f"{request.id} is answered already"):
        again.submit(request.id, {"n": 2})


def test_o8_an_answer_to_another_request_is_refused_and_names_the_open_one(asking: Runner) -> None:
    with pytest.raises(NotFound, match=f"no request 'req_x'.*open is {open_request(asking).id}"):
        asking.submit("req_x", {"n": 1})


def test_an_answer_after_the_cancel_is_refused(asking: Runner) -> None:
    request = open_request(asking)
    asking.cancel("a person")
    with pytest.raises(Conflict, match="cancelled already"):
        asking.submit(request.id, {"n": 1})
    assert store_of(asking) == [("a", 1, 1, "cancelled")]


def test_an_answer_in_a_pause_waits_for_the_resume(asking: Runner) -> None:
    request = open_request(asking)
    asking.pause()
    assert asking.advance().kind == "parked"
    with pytest.raises(Conflict, match="resume"):
        asking.submit(request.id, {"n": 1})
    asking.resume()
    assert asking.advance().kind == "asking"
    assert asking.submit(request.id, {"n": 1}).accepted


def test_a_step_s_time_is_its_turn_s_time_and_then_it_times_out(room: Desk, asking: Runner) -> None:
    assert asking.budget is not None
    clock(room).advance(10_000)
    assert asking.advance().kind == "asking", "nobody was at work on it"
    asking.budget.start()
    clock(room).advance(50)
    asking.rest()
    clock(room).advance(10_000)
    again = room.again(asking)
    assert again.advance().kind == "asking"
    assert again.budget is not None
    assert again.budget.left() == 10
    again.budget.start()
    clock(room).advance(11)
    with pytest.raises(Conflict, match="time was over"):
        again.submit(open_request(asking).id, {"n": 1})
    assert again.advance().run.state == "timed_out"


HUMAN = """
wf = Workflow("w", start="a")
@wf.human_decision(choices=("ship", "drop"), timeout=60, on_timeout="drop")
def a(ctx: Context[Any]) -> str:
    return "ship it?"
@wf.compute
def b(ctx: Context[Any]) -> str:
    return ctx.output(a).provenance + " " + ctx.output(a).choice
wf.edge(a, b)
"""


def test_h3_a_person_who_does_not_answer_is_answered_for_as_declared(room: Desk) -> None:
    room.write("w", HUMAN)
    runner = room.start("w")
    standing = runner.advance()
    assert (standing.run.state, standing.run.reason) == ("waiting", "human")
    clock(room).sleep(59)
    assert runner.advance().kind == "asking"
    clock(room).sleep(1)
    assert runner.advance().run.output == '"timeout drop"'


def test_h3_without_a_declared_answer_it_waits(room: Desk) -> None:
    room.write("w", HUMAN.replace(', on_timeout="drop"', ""))
    runner = room.start("w")
    runner.advance()
    clock(room).sleep(8 * 3600)
    assert runner.advance().kind == "asking"


# --- workers that die


def test_p_c2_d6_a_worker_that_dies_twice_without_progress_parks_the_run(room: Desk) -> None:
    room.write(
        "w",
        """
wf = Workflow("w", start="first")
@wf.compute
def first(ctx: Context[Any]) -> int:
    return 1
@wf.compute
def a(ctx: Context[Any]) -> int:
    with open("tries", "a") as file:
        file.write("x")
    if not Path("mended").exists():
        os._exit(7)
    return 1
wf.edge(first, a)
""",
    )
    runner = room.start("w")
    standing = runner.advance()
    assert (standing.kind, standing.run.reason) == ("parked", "no_progress")
    assert "exit code 7" in (standing.run.detail or "")
    assert runner.advance().kind == "parked", "nothing relaunches by itself"
    assert (room.project / "tries").read_text() == "xx"
    (room.project / "mended").touch()
    again = room.again(runner)
    again.resume()
    assert again.advance().run.state == "completed"


def test_d6_deaths_are_counted_on_the_run_across_processes(room: Desk) -> None:
    room.write(
        "w",
        """
wf = Workflow("w", start="a")
@wf.compute
def a(ctx: Context[Any]) -> int:
    os._exit(7)
""",
    )
    runner = room.start("w")
    with runner.store.write("test", runner.run) as tx:
        tx.change(worker_deaths=1)
        tx.event("worker_died")
    standing = room.again(runner).advance()
    assert standing.run.reason == "no_progress"


def test_d6_a_step_that_ends_starts_the_count_anew(room: Desk) -> None:
    room.write(
        "w",
        """
class Out(BaseModel):
    go: bool
wf = Workflow("w", start="a", max_steps=9)
@wf.compute
def a(ctx: Context[Any]) -> Out:
    marker = Path(f"died{ctx.visit}")
    if not marker.exists():
        marker.touch()
        os._exit(7)
    return Out(go=ctx.visit < 4)
wf.switch(a, on="go", cases={True: a, False: None})
""",
    )
    assert room.start("w").advance().run.state == "completed"


def test_loading_that_hangs_is_not_the_step_s_time(
    room: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    room.write("w", "if Path('hang').exists():\n    while True: pass\n" + ASK)
    runner = room.start("w")
    runner.advance()
    (room.project / "hang").touch()
    again = room.again(runner)
    again.advance()

    def hurry(self: FakeClock) -> float:
        self.advance(5)
        return self.seconds

    monkeypatch.setattr(FakeClock, "monotonic", hurry)
    with pytest.raises(Conflict, match="waits"):
        again.submit(open_request(again).id, {"n": 1})
    assert (again.run.state, again.run.reason) == ("waiting", "cannot_load")
    assert store_of(again) == [("a", 1, 1, "asked")]


# --- pause, cancel, takeover


LONG = """
wf = Workflow("w", start="a")
@wf.compute(timeout=None)
def a(ctx: Context[Any]) -> int:
    Path("pid").write_text(str(os.getpid()))
    while not Path("go").exists():
        time.sleep(0.005)
    return 1
@wf.compute
def b(ctx: Context[Any]) -> int:
    Path("b").touch()
    return 2
wf.edge(a, b)
"""


def when_working(room: Desk, then: Callable[[], None]) -> Callable[[], None]:
    """Give a breath that acts once the callback is at work."""
    done: list[int] = []

    def breathe() -> None:
        if not done and (room.project / "pid").exists():
            done.append(1)
            then()

    return breathe


def stored(room: Desk, runner: Runner, what: str) -> Callable[[], None]:
    """Ask as another process of the project would."""

    def ask() -> None:
        other = desk(room.project.parent, room.clock, room.project)
        run = other.service.find_run(runner.run.id)
        with other.service.store.write("elsewhere", run) as tx:
            tx.change(asked=what, asked_by="elsewhere")
            tx.event("asked_" + what)
        other.close()

    return ask


def test_d9_a_stored_cancel_ends_a_step_in_the_middle_and_what_it_runs(room: Desk) -> None:
    room.write("w", LONG)
    runner = room.start("w")
    runner._breathe = when_working(room, stored(room, runner, "cancel"))
    standing = runner.advance()
    assert (standing.kind, standing.run.state) == ("ended", "cancelled")
    assert store_of(runner) == [("a", 1, 1, "cancelled")]
    with pytest.raises(ProcessLookupError):
        os.kill(int((room.project / "pid").read_text()), 0)


def test_a_stored_pause_lets_the_step_end_and_starts_no_other(room: Desk) -> None:
    room.write("w", LONG)
    runner = room.start("w")

    def pause() -> None:
        stored(room, runner, "pause")()
        (room.project / "go").touch()

    runner._breathe = when_working(room, pause)
    standing = runner.advance()
    assert (standing.kind, standing.run.state) == ("parked", "paused")
    assert store_of(runner) == [("a", 1, 1, "ok"), ("b", 1, 1, "running")]
    again = room.again(runner)
    assert again.advance().kind == "parked"
    again.resume()
    assert again.advance().run.output == "2"


def test_a_cancel_that_was_stored_while_nobody_looked_is_carried_out_first(room: Desk) -> None:
    room.write("w", ASK)
    runner = room.start("w")
    runner.advance()
    stored(room, runner, "cancel")()
    assert room.again(runner).advance().run.state == "cancelled"


def test_a_cancel_that_comes_during_a_submit_refuses_the_answer(room: Desk) -> None:
    room.write(
        "w",
        """
from pydantic import field_validator
class Out(BaseModel):
    n: int
    @field_validator("n")
    @classmethod
    def slow(cls, n):
        Path("pid").touch()
        while True:
            time.sleep(0.005)
wf = Workflow("w", start="a")
@wf.agent(output=Out)
def a(ctx: Context[Any]) -> str:
    return "how many?"
""",
    )
    runner = room.start("w")
    runner.advance()
    runner._breathe = when_working(room, stored(room, runner, "cancel"))
    with pytest.raises(Conflict, match="has been cancelled"):
        runner.submit(open_request(runner).id, {"n": 1})
    assert runner.advance().run.state == "cancelled"


def test_o7_d4_a_newer_attachment_takes_over_and_the_older_one_steps_aside(room: Desk) -> None:
    room.write("w", LONG)
    runner = room.start("w")
    taken: list[Runner] = []

    def take_over() -> None:
        authority = room.service.attach(runner.run.origin, instance="new", reason="test")
        taken.append(room.service.runner(room.service.find_run(runner.run.id), authority))
        runner._data_version = -1  # one connection: our own commit is no news to it

    runner._breathe = when_working(room, take_over)
    with pytest.raises(Fenced):
        runner.advance()
    with pytest.raises(ProcessLookupError):
        os.kill(int((room.project / "pid").read_text()), 0)
    (room.project / "go").touch()
    room.runners += taken
    assert taken[0].advance().run.state == "completed"
    assert store_of(taken[0]) == [("a", 1, 1, "ok"), ("b", 1, 1, "ok")]


# --- effects after a crash


EFFECT = """
wf = Workflow("w", start="a")
@wf.action(effect="{effect}")
def a(ctx: Context[Any]) -> str:
    with open("log", "a") as file:
        file.write(ctx.effect_key.partition(":")[2] + "\\n")
    if not Path("mended").exists():
        Path("mended").touch()
        os._exit(1)
    return "done"
@wf.compute
def b(ctx: Context[Any]) -> str:
    return "b after " + str(ctx.latest(a, "no output"))
wf.edge(a, b)
"""


def test_d2_an_idempotent_effect_is_tried_again_under_the_same_key(room: Desk) -> None:
    room.write("w", EFFECT.format(effect="idempotent"))
    runner = room.start("w")
    assert runner.advance().run.output == '"b after done"'
    assert (room.project / "log").read_text() == "a#1\na#1\n"
    assert store_of(runner) == [("a", 1, 1, "failed"), ("a", 1, 2, "ok"), ("b", 1, 1, "ok")]


@pytest.fixture
def unknown(room: Desk) -> Runner:
    room.write("w", EFFECT.format(effect="manual"))
    runner = room.start("w")
    standing = runner.advance()
    assert (standing.kind, standing.run.state) == ("parked", "ambiguous")
    return runner


def test_a_manual_effect_that_a_crash_left_unknown_waits_for_a_person(unknown: Runner) -> None:
    assert unknown.run.reason == "effect_unknown"
    assert f"segue resume {unknown.run.id} --effect" in (unknown.run.detail or "")
    assert store_of(unknown) == [("a", 1, 1, "ambiguous")]
    assert unknown.advance().kind == "parked"
    with pytest.raises(Conflict, match="ambiguous"):
        unknown.resume()
    assert unknown.run.state == "ambiguous"


@pytest.mark.parametrize(
    ("how", "output", "state", "result", "log"),
    [
        ("done", "it was", "completed", '"b after it was"', 1),
        ("again", None, "completed", '"b after done"', 2),
        ("failed", None, "failed", None, 1),
    ],
)
def test_a_person_says_what_became_of_it(
    room: Desk, unknown: Runner, how: str, output: Any, state: str, result: str | None, log: int
) -> None:
    again = room.again(unknown)
    again.settle(how, output)
    standing = again.advance()
    assert (standing.run.state, standing.run.output) == (state, result)
    assert len((room.project / "log").read_text().splitlines()) == log
    with pytest.raises(Conflict, match="no effect of it is unknown"):
        again.settle("again")


def test_what_a_person_says_has_to_fit(unknown: Runner) -> None:
    with pytest.raises(SegueError, match="does not fit"):
        unknown.settle("done", {"not": "text"})
    assert unknown.run.state == "ambiguous"


def effect_row(runner: Runner) -> tuple[str, str, str, str]:
    with runner.store.read() as db:
        row = steps.effect(db, runner.run.pk, runner.run.step)
    assert row is not None
    return row


SLEEPER = """
wf = Workflow("w", start="a")
@wf.shell(effect="idempotent", parse=lambda r: r.stdout.strip())
def a(ctx: Context[Any]) -> list[str]:
    return ["sh", "-c", "echo $PPID > pid; test -e go || sleep 100000; echo done"]
"""


def interrupted(room: Desk) -> tuple[Runner, int]:
    """Leave a run whose server is gone and whose command lives on."""
    room.write("w", SLEEPER)
    runner = room.start("w")

    class Gone(BaseException):
        pass

    def vanish() -> None:
        raise Gone

    runner._breathe = when_working(room, vanish)
    with pytest.raises(Gone):
        runner.advance()
    return runner, int((room.project / "pid").read_text())


def test_d9_the_group_is_stored_before_it_starts_and_nothing_runs_again_while_it_lives(
    room: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    runner, pid = interrupted(room)
    process = json.loads(effect_row(runner)[3])
    assert process["pid"] == pid
    identity = ProcessIdentity(**process)
    authority = room.service.attach(runner.run.origin, instance="new", reason="test")
    again = room.service.runner(room.service.find_run(runner.run.id), authority)
    room.runners.append(again)
    with monkeypatch.context() as cannot_tell:
        cannot_tell.setattr(recovery, "is_gone", lambda _: None)  # another container's, say
        standing = again.advance()
        assert (standing.kind, standing.run.reason) == ("parked", "effect_alive")
    os.kill(pid, 0)
    again.resume()
    (room.project / "go").touch()
    assert again.advance().run.output == '"done"'
    assert is_gone(identity) is True, "the first was killed before the second began"


def test_d9_children_that_outlive_the_worker_keep_the_effect_from_running_again(
    room: Desk, tmp_path: Path
) -> None:
    room.write(
        "w",
        """
wf = Workflow("w", start="a")
@wf.action(effect="idempotent")
def a(ctx: Context[Any]) -> str:
    if Path("orphan").exists():
        return "again"
    pid = os.fork()
    if pid == 0:
        Path("orphan.new").write_text(str(os.getpid()))
        os.rename("orphan.new", "orphan")
        while True:
            time.sleep(1000)
    Path("pid").touch()
    while True:
        time.sleep(1000)
""",
    )
    runner = room.start("w")

    class Gone(BaseException):
        pass

    def vanish() -> None:
        raise Gone

    def both() -> None:
        if (room.project / "orphan").exists():
            vanish()

    runner._breathe = both
    with pytest.raises(Gone):
        runner.advance()
    worker = runner.evaluator.worker
    assert worker is not None
    assert worker.identity is not None
    # The worker alone is killed, as by a memory watchdog, and its server never saw it.
    os.kill(worker.identity.pid, signal.SIGKILL)
    worker._launched.wait()
    authority = room.service.attach(runner.run.origin, instance="new", reason="test")
    again = room.service.runner(room.service.find_run(runner.run.id), authority)
    room.runners.append(again)
    standing = again.advance()
    assert (standing.kind, standing.run.reason) == ("parked", "effect_alive")
    assert "process group" in (standing.run.detail or "")
    orphan = int((room.project / "orphan").read_text())
    watch = os.pidfd_open(orphan)
    os.killpg(worker.identity.pid, signal.SIGKILL)
    assert select.select([watch], [], [], 30)[0]
    os.close(watch)
    again.resume()
    assert again.advance().run.output == '"again"'


def test_a_timed_out_effect_is_unknown_and_not_failed(
    room: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    room.write("w", SLEEPER)
    runner = room.start("w")
    runner._breathe = lambda: clock(room).advance(limits.ACTION_SECONDS)
    standing = runner.advance()
    assert standing.run.state == "timed_out"
    assert effect_row(runner)[2] == "ambiguous"


# --- progress


def test_progress_is_kept_told_and_bounded(room: Desk) -> None:
    room.write(
        "w",
        """
def read(line):
    if line == "break":
        raise ValueError("a reader that fails")
    if line == "wrong":
        return "not progress"
    return Progress(int(line), 1000, "lines")
wf = Workflow("w", start="a")
@wf.shell(effect="idempotent", progress=read, parse=lambda r: r.exit_code)
def a(ctx: Context[Any]) -> list[str]:
    return ["sh", "-c", "echo break; echo wrong; seq 1 1000"]
""",
    )
    seen: list[dict[str, Any]] = []
    runner = room.start("w", on_progress=lambda _, data: seen.append(data))
    assert runner.advance().run.output == "0"
    assert len(seen) == limits.UPDATE_BURST
    assert seen[0] == {"completed": 1, "total": 1000, "unit": "lines", "message": ""}
    assert event_kinds(runner.store, runner.run.pk).count("progress") == limits.UPDATE_BURST
