"""What the text of a file says is what the loaded workflow is: for 300 generated files."""

from __future__ import annotations

import linecache
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from segue.session.errors import WorkflowInvalid
from segue.session.workflow.chart import chart_of, differences
from segue.session.workflow.charted import chart_text
from segue.session.workflow.compile import compile_workflow
from segue.session.workflow.definition import Workflow
from segue.session.workflow.findings import Code, Finding, Severity
from segue.session.workflow.rules import check_module
from segue.session.workflow.source.document import Document
from segue.session.workflow.source.library import Library
from segue.session.workflow.source.module import Module

from .generated import CHILD, generate

HOME = Path("/nowhere")
BATCHES = 10
EACH = 30


def execute(name: str, text: str) -> ModuleType:
    """Run a module as the worker would, and leave it importable."""
    module = ModuleType(name)
    sys.modules[name] = module
    exec(compile(text, f"{name}.py", "exec"), module.__dict__)
    return module


@pytest.fixture(scope="module", autouse=True)
def child() -> Iterator[None]:
    """The included workflow, importable as the worker would make it."""
    execute("child", CHILD)
    yield
    sys.modules.pop("child", None)
    sys.modules.pop("made", None)
    linecache.clearcache()


def read(text: str) -> Module:
    library = Library(read=lambda path: CHILD.encode() if path.stem == "child" else None)
    return library.put(Document.read(HOME / "made.py", text.encode()))


def loaded(text: str) -> Workflow[Any]:
    made = execute("made", text).made
    assert isinstance(made, Workflow)
    return made


def refused(text: str) -> tuple[Finding, ...]:
    """Give what the loader has against a workflow."""
    try:
        compile_workflow(loaded(text))
    except WorkflowInvalid as error:
        return error.findings
    return ()


@pytest.mark.parametrize("batch", range(BATCHES))
def test_text_and_loaded_workflow_have_the_same_graph(batch: int) -> None:
    agreed = 0
    for seed in range(batch * EACH, (batch + 1) * EACH):
        text = generate(seed, faulty=False)
        module = read(text)
        chart = chart_text(module, module.workflows[0])
        found = refused(text)
        if found:
            errors = {f.code for f in check_module(module) if f.severity is Severity.ERROR}
            assert {f.code for f in found} == errors, f"seed {seed}\n{text}"
            continue
        definition = compile_workflow(loaded(text))
        assert list(differences(chart, chart_of(definition))) == [], f"seed {seed}\n{text}"
        assert chart.complete
        agreed += 1
    assert agreed


@pytest.mark.parametrize("batch", range(BATCHES))
def test_text_and_loaded_workflow_have_the_same_errors(batch: int) -> None:
    """The loader's own checks are written a second time, so each is a test of the other."""
    for seed in range(batch * EACH, (batch + 1) * EACH):
        text = generate(seed + 10_000, faulty=True)
        said = {
            (f.code, f.subject)
            for f in check_module(read(text))
            if f.severity is Severity.ERROR and f.code not in TEXT_ALONE
        }
        real = {(f.code, f.subject) for f in refused(text)}
        assert said == real, f"seed {seed + 10_000}\n{text}"


TEXT_ALONE = frozenset([Code.NEVER_PRODUCED, Code.IMPURE_COMPUTE, Code.PROMPT_TOO_LONG])
"""Errors that only the text shows: the loader does not look into functions."""
