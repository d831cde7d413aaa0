"""The documents say what is so: their examples run, their tables and diagrams are current."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from segue.plugin import cli
from segue.plugin.commands import COMMANDS
from segue.testing import rehearse

ROOT = Path(__file__).parents[1]
DOCS = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])


class Block(NamedTuple):
    """A fenced block: the words after its fence, and its text."""

    info: str
    text: str

    @property
    def file(self) -> str:
        """The file that a Python block says it is, in its first line."""
        first = self.text.partition("\n")[0]
        return first.removeprefix("# ").strip() if first.endswith(".py") else ""


def blocks(document: str) -> list[Block]:
    return blocks_of((ROOT / document).read_text("utf-8"))


def blocks_of(text: str) -> list[Block]:
    return [Block(*found) for found in re.findall(r"^```(.*?)\n(.*?)^```", text, re.M | re.S)]


def drawing() -> Any:
    spec = spec_from_file_location("draw", ROOT / "docs" / "draw.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


draw = drawing()


@pytest.mark.parametrize(("file", "name", "make"), draw.PARTS, ids=[part[1] for part in draw.PARTS])
def test_what_is_made_from_the_code_is_current(file: str, name: str, make: Any) -> None:
    """`python docs/draw.py` brings it up to date."""
    text = (ROOT / file).read_text("utf-8")
    assert draw.renewed(text, name, make()) == text


def test_each_state_and_event_is_in_a_diagram() -> None:
    from segue.session.engine import state

    text = (ROOT / "docs/ARCHITECTURE.md").read_text("utf-8")
    for table in (state.RUN, state.STEP, state.REQUEST):
        for origin, moves in table.items():
            assert str(origin) in text
            assert all(str(event) in text for event in moves)


def test_the_readme_opens_with_three_sentences_and_names_every_command() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    opening = text.split("\n\n")[1]
    assert len(re.findall(r"\.(?:\s|$)", opening)) == 3
    assert "make demo" in text
    assert "make test" in text
    assert all(f"| `segue {name}` |" in text for name in COMMANDS)


@pytest.mark.parametrize("document", DOCS, ids=lambda path: path.name)
def test_each_command_that_a_document_names_exists(document: Path) -> None:
    named = re.findall(r"`segue ([a-z]+)[` ]", document.read_text("utf-8"))
    assert set(named) <= {*COMMANDS}


@pytest.mark.parametrize("document", DOCS, ids=lambda path: path.name)
def test_each_link_leads_to_a_file(document: Path) -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", document.read_text("utf-8"))
    assert [link for link in links if not (document.parent / link).exists()] == []


AUTHORING = [block for block in blocks("docs/AUTHORING.md") if block.info == "python"]
ANSWERS = [b for b in blocks("docs/AUTHORING.md") if b.info.startswith("json answers ")]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with every workflow of the authoring reference."""
    root = tmp_path_factory.mktemp("authoring")
    folder = root / ".segue" / "workflows"
    folder.mkdir(parents=True)
    for block in AUTHORING:
        assert block.file, f"an example does not say which file it is: {block.text[:60]}"
        (folder / block.file).write_text(block.text, "utf-8")
    return root


def test_the_authoring_examples_are_clean_under_check(
    project: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("SEGUE_STATE_DIR", str(tmp_path))
    assert cli.main(["check", str(project)]) == 0
    assert "SG" not in capfd.readouterr().out


@pytest.mark.parametrize("block", ANSWERS, ids=lambda block: block.info.split()[2])
def test_the_authoring_examples_run(project: Path, block: Block) -> None:
    _, _, name, *words = block.info.split(maxsplit=3)
    text = words[0] if words else ""
    given = json.loads(text) if text.startswith("{") else text or None
    done = rehearse(name, input=given, answers=json.loads(block.text), project=project)
    assert done.status == "completed", done.reason
    assert done.left_over == {}


def test_every_kind_of_node_is_in_an_example() -> None:
    from segue.session.workflow.nodes import Nodes

    text = "\n".join(block.text for block in AUTHORING)
    kinds = [name for name in vars(Nodes) if not name.startswith("_")]
    assert [kind for kind in kinds if not re.search(rf"\.{kind}\b", text)] == []


def test_the_test_examples_pass(tmp_path: Path) -> None:
    """The blocks of the rehearsal document, put where they say they are."""
    folder = tmp_path / ".segue" / "workflows"
    folder.mkdir(parents=True)
    first = next(block for block in AUTHORING if block.file == "fix_bug.py")
    (folder / first.file).write_text(first.text)
    listed = [b for b in blocks("docs/REHEARSAL.md") if b.info == "python"]
    assert all(block.file for block in listed)
    for block in listed:
        (tmp_path / block.file).write_text(block.text)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        cwd=tmp_path,
        env={k: v for k, v in os.environ.items() if not k.startswith(("PYTEST", "COV"))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert "3 passed" in done.stdout


@pytest.fixture
def empty(tmp_path: Path, nobody: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder in an empty home, with Segue's state beside it."""
    folder = tmp_path / "empty"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("SEGUE_STATE_DIR", str(tmp_path / "state"))
    return folder


def commands(text: str) -> list[list[str]]:
    lines = re.findall(r"^\$ segue (.*)$", text, re.M)
    return [shlex.split(line) for line in lines]


def test_the_quick_start_works_from_an_empty_folder(
    empty: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    start = text.partition("## Quick start")[2].partition("## ")[0]
    listed = commands(start)
    assert [words[0] for words in listed] == [
        "new", "list", "check", "rehearse", "rehearse", "runs",
    ]  # fmt: skip
    for words in listed:
        assert cli.main(words) == 0, words
    assert "review" in capfd.readouterr().out.splitlines()[-1]


def test_the_run_in_the_readme_is_a_real_one(
    empty: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Only the run's id differs."""
    text = (ROOT / "README.md").read_text("utf-8")
    opening, _, rest = text.partition("<!-- a run -->")
    shown = blocks_of(rest.partition("<!-- /a run -->")[0])[0].text
    cli.main(["new", "review"])
    capfd.readouterr()
    assert cli.main(commands(opening)[0]) == 0
    assert masked(capfd.readouterr().out) == masked(shown)


def masked(text: str) -> str:
    return re.sub(r"run-[a-z2-7]{16}", "run-*", text)
