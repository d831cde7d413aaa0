"""Every file of `tests/corpus` has exactly the findings that its own comments name.

A comment `# SG105 issues_found` stands in the line of its finding; the subject follows the code.
Files that are not valid Python end in `.txt`, so that no other tool stumbles over them.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from segue.session.workflow.findings import Code
from segue.session.workflow.rules import check_module
from segue.session.workflow.source.document import Document
from segue.session.workflow.source.library import Library

CORPUS = Path(__file__).parents[1] / "corpus"
FILES = sorted([*CORPUS.glob("*.py"), *CORPUS.glob("*.txt")])
EXPECTED = re.compile(r"#\s*(SG\d{3})\b *(.*?)\s*$")


def expected(path: Path) -> set[tuple[int, str, str]]:
    """Give line, code and subject of every finding that a file's comments name."""
    found = set()
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        match = EXPECTED.search(line)
        if match:
            found.add((number, match.group(1), match.group(2)))
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_corpus_file_has_the_findings_that_it_names(path: Path) -> None:
    document = Document.read(path.with_suffix(".py"), path.read_bytes())
    module = Library(builtins=frozenset(["autoplan"])).put(document)
    found = {(f.line, f.code.value, f.subject) for f in check_module(module)}
    assert found == expected(path)


def test_the_corpus_is_large_and_has_every_rule() -> None:
    codes = {code for path in FILES for _, code, _ in expected(path)}
    assert len(FILES) >= 60
    # Only a loaded workflow can differ from its text.
    assert codes == {code.value for code in Code} - {Code.LOADS_OTHERWISE.value}
    assert sum(not expected(path) for path in FILES) >= 30
