"""Any bytes in, findings or nothing out: never a crash, and work that grows with the text."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from segue.session.workflow.charted import chart_text
from segue.session.workflow.findings import Finding
from segue.session.workflow.rules import check_module
from segue.session.workflow.source.document import Document
from segue.session.workflow.source.library import Library

CORPUS = sorted((Path(__file__).parents[1] / "corpus").glob("*.[pt]*"))
HERE = Path("/nowhere/made.py")


def check(data: bytes) -> list[Finding]:
    module = Library().put(Document.read(HERE, data))
    for workflow in module.workflows:
        chart_text(module, workflow)
    return check_module(module)


def inside(data: bytes, found: list[Finding]) -> bool:
    """Whether every finding and every edit lies in the text."""
    size = len(data)
    ranges = [(f.start, f.end) for f in found]
    ranges += [(c.start, c.end) for f in found if f.fix for c in f.fix.changes]
    return all(0 <= start <= end <= size for start, end in ranges)


@settings(max_examples=200)
@given(st.binary(max_size=400))
def test_any_bytes_are_answered(data: bytes) -> None:
    assert inside(data, check(data))


@settings(max_examples=150)
@given(st.sampled_from(CORPUS), st.data())
def test_a_workflow_with_a_hole_or_a_foreign_piece_is_answered(
    path: Path, draw: st.DataObject
) -> None:
    data = path.read_bytes()
    start = draw.draw(st.integers(0, len(data)))
    end = draw.draw(st.integers(start, len(data)))
    other = draw.draw(st.sampled_from(CORPUS)).read_bytes()
    cut = draw.draw(st.integers(0, len(other)))
    piece = draw.draw(st.sampled_from([b"", other[cut : cut + 80], b"\xff\x00", b"((([[["]))
    broken = data[:start] + piece + data[end:]
    assert inside(broken, check(broken))


@settings(max_examples=60)
@given(st.sampled_from(CORPUS), st.integers(0, 3000))
def test_a_file_that_is_still_being_typed_is_answered(path: Path, length: int) -> None:
    data = path.read_bytes()[:length]
    assert inside(data, check(data))


def test_deep_nesting_is_answered() -> None:
    for opening, closing in ((b"(", b")"), (b"[", b"]"), (b"{0:", b"}"), (b"not ", b"")):
        check(b"x = " + opening * 3000 + b"1" + closing * 3000)
        check(b"x = " + opening * 3000)
    check(b"x = " + b".".join([b"a"] * 5000))
    check(b"x: " + b"a[" * 2000 + b"b" + b"]" * 2000 + b" = 1")


def _steps(count: int) -> bytes:
    """A chain of agents, each with its model, its switch and its text."""
    lines = [
        "from typing import Literal",
        "from pydantic import BaseModel",
        "from segue import Context, Workflow",
        "class Task(BaseModel):\n    task: str",
        'made = Workflow("made", input=Task, start="n0")',
    ]
    for index in range(count):
        lines.append(f'class V{index}(BaseModel):\n    route: Literal["on", "back"]')
        lines.append(f"@made.agent(output=V{index})\ndef n{index}(ctx: Context[Task]) -> str:")
        lines.append(f'    return f"{{ctx.input.task}} {{ctx.latest(n{max(0, index - 1)}, None)}}"')
    for index in range(count):
        onward = f"n{index + 1}" if index + 1 < count else None
        lines.append(f'made.switch(n{index}, on="route", cases={{"on": {onward}, "back": n0}})')
    return "\n".join(lines).encode()


GROWING: dict[str, Callable[[int], bytes]] = {
    "steps": _steps,
    "broken steps": lambda n: _steps(n).replace(b"made.switch(n1,", b"made.switch(n1"),
    "brackets": lambda n: b"(" * n * 20,
    "quotes": lambda n: b'"""\n' * n * 5,
    "calls": lambda n: b"f(" * n * 5 + b")" * n * 5,
    "decorators": lambda n: b"@made.agent\n" * n * 5,
    "names": lambda n: b"\n".join(b"a%d = a%d" % (i + 1, i) for i in range(n * 5)),
    "bases": lambda n: b"\n".join(b"class A%d(A%d): pass" % (i + 1, i) for i in range(n)),
    "one line": lambda n: b"a" * n * 100,
    "noise": lambda n: bytes(range(256)) * n,
}


def _work(data: bytes) -> int:
    """Count the calls that a check makes: a measure that no busy machine disturbs."""
    count = 0

    def watch(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    sys.setprofile(watch)
    try:
        check(data)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("shape", GROWING)
def test_the_work_grows_no_faster_than_the_text(shape: str) -> None:
    small, large = _work(GROWING[shape](40)), _work(GROWING[shape](160))
    # Four times the text: at most four times the work, and a little for sorting and for sets.
    assert large <= 4 * 1.35 * small + 2_000
