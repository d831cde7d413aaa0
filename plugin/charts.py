"""Finds the chart of a workflow that a person named, or of a run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from segue.session.errors import NotFound, SegueError
from segue.session.workflow.charted import chart_text
from segue.session.workflow.names import workflow_name

from .checking import library

if TYPE_CHECKING:
    from segue.session.workflow.chart import Chart
    from segue.session.workflow.source.graph import WorkflowSource
    from segue.session.workflow.source.module import Module

    from .graph.taken import Taken
    from .workspace import Workspace


def source_named(name: str, project: Path) -> tuple[Module, WorkflowSource]:
    """Read the workflow that is meant as text.

    Raises:
        NotFound: With the candidates.
        SegueError: Where the file binds none that text can show.
    """
    from segue.session.workflow.discovery import find

    # A path is read from where it was typed, a name in the project.
    typed = Path(name)
    direct = typed.suffix == ".py" and typed.is_file()
    path = typed.absolute() if direct else find(name, project).path
    module = library().open(path)
    if module is None:
        raise NotFound(f"cannot read {path}")
    if not module.workflows:
        raise SegueError(f"{path} shows no workflow: see `segue check {path}`")
    named = [each for each in module.workflows if each.name == workflow_name(path.stem)]
    return module, (named or list(module.workflows))[0]


def chart_named(name: str, project: Path) -> Chart:
    return chart_text(*source_named(name, project))


def run_chart(name: str, run: str, where: Workspace) -> tuple[Chart, Taken]:
    """Give the graph that a run pinned, and the path that it took.

    Raises:
        NotFound: For no such run, or one of another workflow.
    """
    from segue.session.store import definitions, runs, steps
    from segue.session.workflow.chart import chart_of

    from .graph.taken import taken

    if not where.has_state:
        raise NotFound(f"there is no run {run!r}: nothing was kept in this project yet")
    with where.service() as service, service.reading() as db:
        found = runs.find(db, run)
        definition = definitions.get(db, found.definition)
        visits = [(node, visit, state) for _, node, visit, _, state in steps.visits(db, found.pk)]
    wanted = workflow_name(Path(name).stem if name.endswith(".py") else name.rpartition(":")[2])
    if definition.name != wanted:
        raise NotFound(f"run {found.id} is of '{definition.name}', not of '{wanted}'")
    return chart_of(definition), taken(visits, ended=found.state == "completed")
