"""`docs/RULES.md` has one section for each rule, with its name, severity and edits."""

from __future__ import annotations

import re
from pathlib import Path

from segue.session.limits import PROMPT_CHARS, SOURCE_BYTES
from segue.session.workflow.findings import SEVERITIES, Code, Severity
from segue.session.workflow.rules import check_module
from segue.session.workflow.source.library import Library

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "RULES.md").read_text("utf-8")
SECTION = re.compile(r"^## (SG\d{3}): ([^\n]+)\n\n\*(\w+)\.\*(.*?)(?=^## |\Z)", re.M | re.S)
SECTIONS = {code: (title, severity, body) for code, title, severity, body in SECTION.findall(PAGE)}


def test_every_rule_has_its_section_in_order_and_there_are_no_others() -> None:
    assert list(SECTIONS) == [code.value for code in Code]
    assert PAGE.count("\n## ") == len(SECTIONS)


def test_titles_and_severities_are_those_of_the_code() -> None:
    for code in Code:
        title, severity, _ = SECTIONS[code.value]
        assert title == code.name.lower().replace("_", " ")
        assert severity.lower() == SEVERITIES.get(code, Severity.ERROR).value


def test_the_page_names_the_limits_as_they_are() -> None:
    assert f"{PROMPT_CHARS:,}" in SECTIONS["SG116"][2]
    assert f"{SOURCE_BYTES:,}" in SECTIONS["SG100"][2]


def test_a_section_promises_an_edit_exactly_where_the_corpus_shows_a_safe_one() -> None:
    mended = set()
    for path in (ROOT / "tests" / "corpus").glob("*.py"):
        module = Library().open(path)
        assert module is not None
        mended |= {f.code.value for f in check_module(module) if f.fix and f.fix.safe}
    assert {code for code, section in SECTIONS.items() if "*`--fix`*" in section[2]} == mended
