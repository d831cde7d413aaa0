"""`--fix` repairs what is mechanical, says what the author meant, and leaves the rest alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from segue.plugin.mending import mend
from segue.session.workflow.findings import Severity
from segue.session.workflow.rules import check_module
from segue.session.workflow.source.library import Library

CORPUS = Path(__file__).parents[1] / "corpus"
NEIGHBOURS = ("_shared", "ok_exit")

MENDED = {
    "sg101_later": 'wf.edge(a, "b")',
    "sg101_name": "wf.edge(a, inspect)",
    "sg101_source": "wf.edge(a, b)",
    "sg106_misspelt": '"issues_found": None,',
    "sg106_outcome": '"timed_out": None})',
    "sg107_field": 'on="route"',
    "sg111_name": 'Workflow("sg111-name"',
    "sg112_port": 'inner.exit("done")',
    "sg115_action": '@wf.action(effect="manual", status="x")',
    "sg115_bare": '@wf.action(effect="manual")',
    "sg115_value": '@wf.shell(effect="idempotent")',
    "sg118_none": "def a(ctx) -> str:",
    "sg125_misspelt": '@wf.agent(status="x")',
    "sg125_on_timeout": 'on_timeout="stop"',
    "sg125_parentheses": "@wf.agent()",
}


def copied(stem: str, folder: Path) -> Path:
    for name in (*NEIGHBOURS, stem):
        (folder / f"{name}.py").write_bytes((CORPUS / f"{name}.py").read_bytes())
    return folder / f"{stem}.py"


@pytest.mark.parametrize("stem", MENDED)
def test_a_mechanical_fault_is_mended_and_nothing_is_left_to_say(stem: str, tmp_path: Path) -> None:
    path = copied(stem, tmp_path)
    assert mend(path, Library()) >= 1
    assert MENDED[stem] in path.read_text("utf-8")
    module = Library().open(path)
    assert module is not None
    assert [f for f in check_module(module) if f.severity is Severity.ERROR] == []


@pytest.mark.parametrize("path", sorted(CORPUS.glob("*.py")), ids=lambda path: path.stem)
def test_mending_never_breaks_a_file_and_a_second_time_changes_nothing(
    path: Path, tmp_path: Path
) -> None:
    copy = copied(path.stem, tmp_path)
    before = Library().open(copy)
    assert before is not None
    mend(copy, Library())
    once = copy.read_bytes()
    after = Library().open(copy)
    assert after is not None
    assert len(after.document.breaks) <= len(before.document.breaks)
    assert mend(copy, Library()) == 0
    assert copy.read_bytes() == once


def test_ending_the_run_where_a_case_is_missing_is_left_to_a_person(tmp_path: Path) -> None:
    path = copied("sg105_literal", tmp_path)
    module = Library().open(path)
    assert module is not None
    (finding,) = check_module(module)
    assert finding.fix is not None
    assert not finding.fix.safe
    assert finding.fix.changes[0].new == ', "issues_found": None'
    assert mend(path, Library()) == 0


def test_a_file_keeps_its_mode_and_its_line_ends(tmp_path: Path) -> None:
    path = copied("sg125_parentheses", tmp_path)
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    path.chmod(0o640)
    assert mend(path, Library()) == 1
    assert path.stat().st_mode & 0o777 == 0o640
    assert path.read_bytes().count(b"\n") == path.read_bytes().count(b"\r\n")
    assert [each.name for each in tmp_path.iterdir() if each.name.startswith(".")] == []


def test_the_last_case_is_removed_with_the_comma_before_it(tmp_path: Path) -> None:
    path = copied("sg106_extra", tmp_path)
    text = path.read_text("utf-8").replace('        "broken": None,', '        "broken": None')
    path.write_text(text)
    assert mend(path, Library()) == 1
    assert '"issues_found": None  # SG106' in path.read_text("utf-8").replace("\n       ", "")
