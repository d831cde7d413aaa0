"""Random workflows through the real runner, beside a reference that knows nothing of it.

Loops, switches, failures, mounts entered again, answers rejected first, and drivers replaced
half-way: route, visits and outputs have to be those of thirty lines of plain Python.
"""

from __future__ import annotations

import json
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from segue import OUTCOME, Context, NoInput, Workflow
from segue.session.engine.calls import Calls
from segue.session.evaluator import Evaluator
from segue.session.ownership import SessionKey
from segue.session.process import current
from segue.session.runner import Runner
from segue.session.store import attachments, runs
from segue.session.store.store import Store
from segue.session.workflow.compile import compile_workflow
from tests.kit import FakeClock, NumberedIds, revisions, trail

if TYPE_CHECKING:
    from segue.session.engine.budget import Budget
    from segue.session.store.records import Authority, Run

MAX_STEPS = 15
Route = Literal["a", "b", "c"]


class Out(BaseModel):
    route: Route
    seen: list[int]


@dataclass(frozen=True)
class Spec:
    """One node: what it does on each visit (the last entry for ever), and where it leads."""

    kind: Literal["compute", "agent", "wait", "mount"]
    acts: tuple[Literal["a", "b", "c", "fail"], ...]
    edge: Literal["plain", "switch", "outcome"]
    targets: tuple[int | None, int | None, int | None]
    failure: int | None = None
    reads: tuple[int, ...] = ()

    def act(self, visit: int) -> str:
        return self.acts[min(visit, len(self.acts)) - 1]


# --- the reference


@dataclass
class Reference:
    """Walks the specs. Inside a mount lie `x` (a loops, else on) and `y`, the exit."""

    specs: tuple[Spec, ...]
    walked: list[tuple[str, int, str]] = field(default_factory=list)
    visits: dict[str, int] = field(default_factory=dict)
    fresh: dict[str, int] = field(default_factory=dict)
    outputs: dict[str, Any] = field(default_factory=dict)
    steps: int = 0

    def enter(self, path: str) -> int:
        self.visits[path] = self.visits.get(path, 0) + 1
        self.fresh[path] = self.fresh.get(path, 0) + 1
        return self.fresh[path]

    def end(self, path: str, outcome: str, output: Any) -> None:
        self.walked.append((path, self.visits[path], outcome))
        self.outputs.pop(path, None)
        if outcome == "ok":
            self.outputs[path] = output

    def run(self) -> tuple[str, Any]:
        here: int | None = 0
        while here is not None:
            ended = self.node(here)
            if ended is None:
                return "failed", "max_steps"
            outcome, output = ended
            spec = self.specs[here]
            if spec.edge == "outcome" and spec.kind != "mount":
                here = spec.targets[0] if outcome == "ok" else spec.targets[1]
            elif outcome != "ok":
                if spec.failure is None:
                    return "failed", None
                here = spec.failure
            elif spec.edge == "switch" and spec.kind != "wait":
                here = spec.targets["abc".index(output["route"])]
            else:
                here = spec.targets[0]
            if here is None:
                return "completed", output
        raise AssertionError

    def step(self, path: str, spec: Spec, seen: list[int]) -> tuple[str, Any] | None:
        if self.steps == MAX_STEPS:
            return None
        self.steps += 1
        visit = self.enter(path)
        act = spec.act(visit)
        if spec.kind == "wait":
            ended: tuple[str, Any] = ("ok", None)
        elif act == "fail" and spec.kind != "agent":
            ended = ("failed", None)
        else:
            ended = ("ok", {"route": "c" if act == "fail" else act, "seen": [visit, *seen]})
        self.end(path, *ended)
        return ended

    def read(self, paths: list[str]) -> list[int]:
        return [self.outputs[path]["seen"][0] if path in self.outputs else 0 for path in paths]

    def node(self, index: int) -> tuple[str, Any] | None:
        spec, path = self.specs[index], f"n{index}"
        if spec.kind != "mount":
            reads = [f"n{i}" for i in spec.reads if self.specs[i].kind in ("compute", "agent")]
            return self.step(path, spec, self.read(reads))
        self.enter(path)
        self.end(path, "ok", {})
        for inner in (f"{path}/x", f"{path}/y"):
            self.outputs.pop(inner, None)
            self.fresh.pop(inner, None)
        while True:
            ended = self.step(f"{path}/x", inside(spec), self.read([f"{path}/y"]))
            if ended is None or ended[0] != "ok":
                return ended
            if ended[1]["route"] != "a":
                break
        return self.step(f"{path}/y", inside(spec), self.read([f"{path}/x"]))


def inside(spec: Spec) -> Spec:
    return Spec("compute", spec.acts, "plain", (None, None, None))


# --- the same, as an author writes it


def body(wf: Workflow[Any], name: str, spec: Spec, reads: list[Any]) -> Any:
    def compute(ctx: Context[Any]) -> Out:
        act = spec.act(ctx.visit)
        if act == "fail":
            raise ValueError("as planned")
        seen = [ctx.visit, *(read(ctx, node) for node in reads)]
        return Out(route=act, seen=seen)  # type: ignore[arg-type]  # the strategy draws these

    def prompt(ctx: Context[Any]) -> str:
        act = spec.act(ctx.visit)
        seen = [ctx.visit, *(read(ctx, node) for node in reads)]
        return json.dumps({"route": "c" if act == "fail" else act, "seen": seen})

    compute.__name__ = prompt.__name__ = name
    if spec.kind == "agent":
        return wf.agent(output=Out)(prompt)
    return wf.compute(compute)


def read(ctx: Context[Any], node: Any) -> int:
    found = ctx.latest(node, None)
    return 0 if found is None else int(found.seen[0])


def mounted(spec: Spec) -> tuple[Workflow[NoInput], Any]:
    wf: Workflow[NoInput] = Workflow("inner", start="x")
    later: list[Any] = []
    x = body(wf, "x", inside(spec), later)
    y = body(wf, "y", inside(spec), [x])
    later.append(y)
    wf.switch(x, on="route", cases={"a": x, "b": y, "c": y})
    return wf, wf.exit("done", y, output=Out)


def build(specs: tuple[Spec, ...]) -> Workflow[NoInput]:
    wf: Workflow[NoInput] = Workflow("w", start="n0", max_steps=MAX_STEPS)
    sources: list[Any] = []
    wanted: list[list[Any]] = []
    for index, spec in enumerate(specs):
        reads: list[Any] = []
        wanted.append(reads)
        if spec.kind == "mount":
            inner, done = mounted(spec)
            sources.append(wf.include(f"n{index}", inner).exit(done))
        elif spec.kind == "wait":
            sources.append(wf.wait(f"n{index}", seconds=5))
        else:
            sources.append(body(wf, f"n{index}", spec, reads))
    for spec, source, reads in zip(specs, sources, wanted, strict=True):
        reads += [sources[i] for i in spec.reads if specs[i].kind in ("compute", "agent")]
        names = [None if t is None else f"n{t}" for t in spec.targets]
        if spec.edge == "outcome" and spec.kind != "mount":
            cases = {"ok": names[0], "failed": names[1], "timed_out": None}
            wf.switch(source, on=OUTCOME, cases=cases)
            continue
        if spec.edge == "switch" and spec.kind != "wait":
            wf.switch(source, on="route", cases=dict(zip("abc", names, strict=True)))
        else:
            wf.edge(source, names[0])
        if spec.failure is not None and spec.kind == "compute":
            wf.on_failure(source, f"n{spec.failure}")
    return wf


@st.composite
def workflows(draw: st.DrawFn) -> tuple[Spec, ...]:
    """Draw nodes that each lead on to the next one, so that all are reached and each can end."""
    size = draw(st.integers(1, 5))
    specs = []
    for index in range(size):
        following = index + 1 if index + 1 < size else None
        anywhere = st.none() | st.integers(0, size - 1)
        kind = draw(st.sampled_from(["compute", "compute", "agent", "wait", "mount"]))
        failure = draw(st.none() | st.integers(0, size - 1)) if kind == "compute" else None
        edge = draw(st.sampled_from(["plain", "switch", "outcome"]))
        specs.append(
            Spec(
                kind=kind,  # type: ignore[arg-type]
                acts=tuple(
                    draw(st.lists(st.sampled_from(["a", "b", "c", "fail"]), min_size=1, max_size=4))
                ),
                edge=edge,  # type: ignore[arg-type]
                targets=(following, draw(anywhere), draw(anywhere)),
                failure=None if edge == "outcome" else failure,
                reads=tuple(draw(st.lists(st.integers(0, size - 1), max_size=3))),
            )
        )
    return tuple(specs)


# --- the real runner, its worker in this process


class InlineWorker:
    """Answers as a worker does, without being one."""

    identity = None

    def __init__(self, workflow: Workflow[Any]) -> None:
        self.calls = Calls(lambda _: None)
        self.calls._bind(workflow)
        self.closed = False
        self.posted: list[dict[str, Any]] = []

    def call(self, message: dict[str, Any], budget: Budget, **_: Any) -> dict[str, Any]:
        assert not self.closed
        if message["do"] == "load":
            return {"ok": True}
        told: dict[str, Any] = json.loads(json.dumps(self.calls.answer(message)))
        return told

    def post(self, message: dict[str, Any]) -> bool:
        self.posted.append(self.call(message, None))  # type: ignore[arg-type]
        return True

    def wait(self, budget: Budget, **_: Any) -> dict[str, Any]:
        return self.posted.pop(0)

    def kill(self) -> None:
        self.closed = True


@dataclass
class Stage:
    """One run of a workflow that was built in this process."""

    workflow: Workflow[NoInput]
    store: Store
    clock: FakeClock
    authority: Authority
    run: Run

    def runner(self) -> Runner:
        worker = lambda: InlineWorker(self.workflow)  # noqa: E731 - one word for a spawn
        evaluator = Evaluator(self.store, self.clock, worker)  # type: ignore[arg-type]
        with self.store.read() as db:
            run = runs.by_pk(db, self.run.pk)
        return Runner(self.store, self.clock, NumberedIds(), self.authority, run, evaluator)


def stage(workflow: Workflow[NoInput], folder: Path) -> Stage:
    clock = FakeClock()
    store = Store(folder / "s", clock)
    store.db.execute("PRAGMA synchronous = OFF")  # what is tested here is not the disk
    key = SessionKey("test", "s")
    authority = attachments.attach(
        store, key, instance="i", process=current(), reason="test", facts={}
    )
    launch = runs.Launch(
        "run-a", key, compile_workflow(workflow), "project:w", (), (), {}, {"module": "w"}, None,
        str(Path.cwd()),
    )  # fmt: skip
    run = runs.prepare_or_adopt(store, "test", launch, authority).run
    return Stage(workflow, store, clock, authority, run)


@settings(max_examples=120)
@given(workflows(), st.lists(st.booleans(), max_size=40), st.lists(st.booleans(), max_size=20))
def test_d2_any_workflow_walks_as_the_reference_does_however_often_it_is_taken_up_again(
    specs: tuple[Spec, ...], restarts: list[bool], rejections: list[bool]
) -> None:
    reference = Reference(specs)
    ended = reference.run()
    with tempfile.TemporaryDirectory() as folder:
        scene = stage(build(specs), Path(folder))
        ids = NumberedIds()
        runner = scene.runner()
        for _ in range(200):
            if restarts and restarts.pop():
                runner = scene.runner()
            runner.ids = ids
            standing = runner.advance()
            if standing.kind == "sleeping":
                scene.clock.sleep(5)
            elif standing.kind == "asking":
                assert standing.request is not None
                if rejections and rejections.pop():
                    assert not runner.submit(standing.request.id, {"route": "z"}).accepted
                runner.submit(standing.request.id, json.loads(standing.text))
            else:
                break
        run = runner.run
        walked = [(node, visit, state) for node, visit, _, state in trail(scene.store, run.pk)]
        assert walked == reference.walked
        assert run.state == ended[0]
        if ended[1] == "max_steps":
            assert (run.reason or "").startswith("max_steps: 15")
        elif run.state == "completed":
            assert json.loads(str(run.output)) == ended[1] if run.output else ended[1] is None
        assert revisions(scene.store, run.pk) == list(range(1, run.revision + 1))
        scene.store.close()
