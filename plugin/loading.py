"""`check --load`: what a loaded workflow says that its text did not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from segue.session import trust
from segue.session.clock import SystemClock
from segue.session.engine.child import Worker
from segue.session.errors import LoadFailed, SegueError, WorkflowInvalid
from segue.session.launches import Untrusted
from segue.session.loader import load
from segue.session.paths import project_root
from segue.session.settings import read
from segue.session.workflow.chart import chart_of, differences
from segue.session.workflow.charted import chart_text
from segue.session.workflow.discovery import Found
from segue.session.workflow.findings import Code, Severity
from segue.session.workflow.names import workflow_name
from segue.session.workflow.rules.view import report

from .checking import BUILTINS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from segue.session.workflow.findings import Finding
    from segue.session.workflow.snapshot import Definition
    from segue.session.workflow.source.library import Library


def compare(path: Path, look: Library, found: Sequence[Finding], home: Path) -> Iterator[Finding]:
    """Load one file and give what its text did not say.

    Args:
        path: The file.
        look: Where its text was read.
        found: What the text said.
        home: The state home, which knows the trusted projects.

    Raises:
        Untrusted: Nobody has said that the project's code may run (S1).
    """
    project = project_root(path.parent)
    if not may_load(path, home):
        raise Untrusted(
            f"{project} is not trusted, so nothing of it is loaded: a person can say"
            " `segue trust` in a terminal there, or leave --load out"
        )
    module = look.open(path)
    if module is None or path.name.startswith("_"):
        return
    wrong = any(f.path == str(path) and f.severity is Severity.ERROR for f in found)
    try:
        definition = load_file(path)
    except (WorkflowInvalid, LoadFailed) as error:
        # What the text said already need not be said twice.
        if not wrong:
            message = f"it does not load: {error}"
            yield report(module, Code.LOADS_OTHERWISE, message, (0, 0), path.stem)
        return
    for workflow in module.workflows[:1]:
        text = chart_text(module, workflow)
        if not text.complete:
            continue
        for subject, sentence in differences(text, chart_of(definition)):
            yield report(module, Code.LOADS_OTHERWISE, sentence, workflow.name_span, subject)


def is_ours(path: Path) -> bool:
    return path.parent.resolve() == BUILTINS


def may_load(path: Path, home: Path) -> bool:
    """Whether a file's code may run: it is ours, or a person trusts its project (S1)."""
    return is_ours(path) or trust.is_trusted(home, project_root(path.parent))


def load_file(path: Path) -> Definition:
    """Load a workflow file in a worker and give its compiled graph.

    Raises:
        WorkflowInvalid: Its graph breaks a rule.
        LoadFailed: It cannot be imported.
    """
    project = project_root(path.parent)
    settings = read(project)
    clock = SystemClock()
    worker = Worker(clock, settings.python or None)
    name = workflow_name(path.stem)
    if is_ours(path):
        found = Found(name, f"builtin:{name}", path, "builtin")
    else:
        found = Found(name, f"path:{path}", path, "path")
    try:
        return load(found, project, worker, clock, settings.load_seconds).definition
    except SegueError as error:
        if isinstance(error, WorkflowInvalid | LoadFailed):
            raise
        raise LoadFailed(f"{path}: {error}") from error
    finally:
        worker.kill()
