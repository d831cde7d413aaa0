"""Pinned sources (D5): a run executes the copies it was started with, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from segue.session.errors import LoadFailed
from tests.kit import Desk, desk, drive

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Desk]:
    made = desk(tmp_path)
    yield made
    made.close()


TWO = """
from neighbour import word
wf = Workflow("w", start="a")
@wf.agent()
def a(ctx: Context[Any]) -> str:
    return "first"
@wf.compute
def b(ctx: Context[Any]) -> str:
    return word()
wf.edge(a, b)
"""
WORD = 'def word(): return "old"\n'


def test_p_q1_an_edit_during_a_run_affects_only_later_runs(room: Desk) -> None:
    room.write("neighbour", WORD, head="")
    room.write("w", TWO)
    runner = room.start("w")
    drive(runner)
    room.write("neighbour", 'def word(): return "new"\n', head="")
    room.write("w", "syntax error here")
    again = room.again(runner)
    assert drive(again, {"a": [None]}).run.output == '"old"'
    room.write("w", TWO)
    assert drive(room.start("w", session="later"), {"a": [None]}).run.output == '"new"'


def test_p_q1_files_that_are_gone_change_nothing(room: Desk) -> None:
    neighbour = room.write("neighbour", WORD, head="")
    file = room.write("w", TWO)
    runner = room.start("w")
    drive(runner)
    neighbour.unlink()
    file.unlink()
    assert drive(room.again(runner), {"a": [None]}).run.output == '"old"'


LATE = """
wf = Workflow("w", start="a")
@wf.agent()
def a(ctx: Context[Any]) -> str:
    return "first"
@wf.compute
def b(ctx: Context[Any]) -> str:
    import neighbour
    return neighbour.word()
wf.edge(a, b)
"""


@pytest.mark.parametrize("resumed", [False, True])
def test_d5_a_neighbour_that_was_not_pinned_is_an_error_however_late(
    room: Desk, *, resumed: bool
) -> None:
    room.write("neighbour", WORD, head="")
    room.write("w", LATE)
    runner = room.start("w")
    drive(runner)
    standing = drive(room.again(runner) if resumed else runner, {"a": [None]})
    assert standing.run.state == "failed"
    assert "neighbour.py was not loaded when the run started" in (standing.run.reason or "")
    assert "import it at the top of the workflow" in (standing.run.reason or "")


def test_packages_and_their_modules_are_pinned(room: Desk) -> None:
    file = room.write("w", TWO.replace("from neighbour", "from tools.words"))
    package = file.parent / "tools"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "words.py").write_text("from .deep import word")
    (package / "deep.py").write_text(WORD)
    runner = room.start("w")
    drive(runner)
    for name in ("__init__", "words", "deep"):
        (package / f"{name}.py").write_text("raise RuntimeError('edited')")
    assert drive(room.again(runner), {"a": [None]}).run.output == '"old"'


@pytest.mark.parametrize("name", ["json", "random", "types", "typing_extensions", "segue"])
def test_a_workflow_named_like_a_module_in_use_hides_nothing(room: Desk, name: str) -> None:
    room.write(
        name,
        f"""
import {"json" if name == "segue" else name} as real
wf = Workflow("{name.replace("_", "-")}", start="a")
@wf.agent()
def a(ctx: Context[Any]) -> str:
    return "first"
@wf.compute
def b(ctx: Context[Any]) -> bool:
    return "site-packages" in real.__file__ or "/lib/" in real.__file__
wf.edge(a, b)
""",
    )
    runner = room.start(name)
    drive(runner)
    assert drive(room.again(runner), {"a": [None]}).run.output == "true"


def test_a_copy_that_cannot_run_any_more_parks_the_run_and_says_why(
    room: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = tmp_path / "library"
    library.mkdir()
    (library / "somelib.py").write_text("x = 1")
    monkeypatch.setenv("PYTHONPATH", str(library), prepend=":")
    room.write("w", "import somelib\n" + LATE)
    runner = room.start("w")
    drive(runner)
    (library / "somelib.py").write_text("raise ImportError('needs another version')")
    standing = drive(room.again(runner), {})
    assert standing.kind == "asking", "an open step needs no worker"
    again = room.again(runner)
    standing = again.advance()
    assert standing.request is not None
    with pytest.raises(Exception, match="needs another version"):
        again.submit(standing.request.id, None)
    assert (again.run.state, again.run.reason) == ("waiting", "cannot_load")
    assert "ImportError: needs another version" in (again.run.detail or "")
    (library / "somelib.py").write_text("x = 1")
    mended = room.again(again)
    mended.resume()
    room.write("neighbour", WORD, head="")
    assert drive(mended, {"a": [None]}).run.state == "failed"


def test_a_source_that_is_not_text_is_named(room: Desk) -> None:
    file = room.write("w", "x = 1")
    file.write_bytes(b"x = '\xff'")
    with pytest.raises(LoadFailed, match=r"w\.py is not UTF-8"):
        room.load("w")


def test_tracebacks_show_the_lines_that_ran(room: Desk) -> None:
    room.write("w", LATE.replace("import neighbour", "raise ValueError('here')"))
    runner = room.start("w")
    drive(runner)
    room.write("w", "x = 'other text'\n" * 40)
    again = room.again(runner)
    drive(again, {"a": [None]})
    with room.service.store.read() as db:
        data = db.execute("SELECT data FROM events WHERE kind = 'step' ORDER BY pk DESC").fetchone()
    assert "raise ValueError('here')" in data[0]
    assert "other text" not in data[0]
