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


def source_named(name: str, here: Path) -> tuple[Module, WorkflowSource]:
    """Read the workflow that is meant as text.

    Raises:
        NotFound: With the candidates.
        SegueError: Where the file binds none that text can show.
    """
    from segue.session.paths import project_root
    from segue.session.workflow.discovery import find

    # A path is read from where it was typed, a name in the project.
    typed = Path(name)
    direct = typed.suffix == ".py" and (here / typed).is_file()
    path = (here / typed).absolute() if direct else find(name, project_root(here)).path
    module = library().open(path)
    if module is None:
        raise NotFound(f"cannot read {path}")
    if not module.workflows:
        raise SegueError(f"{path} shows no workflow: see `segue check {path}`")
    named = [each for each in module.workflows if each.name == workflow_name(path.stem)]
    return module, (named or list(module.workflows))[0]


def chart_named(name: str, here: Path) -> Chart:
    return chart_text(*source_named(name, here))


def run_chart(name: str, run: str, here: Path) -> tuple[Chart, Taken]:
    """Give the graph that a run pinned, and the path that it took.

    Raises:
        NotFound: For no such run, or one of another workflow.
    """
    import os

    from segue.session.clock import SystemClock
    from segue.session.paths import project_root, project_state, state_home
    from segue.session.store import definitions, runs, steps
    from segue.session.store.store import Store
    from segue.session.workflow.chart import chart_of

    from .graph.taken import taken

    database = project_state(state_home(os.environ), project_root(here))
    if not database.is_file():
        raise NotFound(f"there is no run {run!r}: this project has none yet")
    with Store(database, SystemClock(), read_only=True) as store, store.read() as db:
        found = runs.find(db, run)
        definition = definitions.get(db, found.definition)
        visits = [(node, visit, state) for _, node, visit, _, state in steps.visits(db, found.pk)]
    wanted = workflow_name(Path(name).stem if name.endswith(".py") else name.rpartition(":")[2])
    if definition.name != wanted:
        raise NotFound(f"run {found.id} is of '{definition.name}', not of '{wanted}'")
    ended = found.state in {"completed", "failed", "timed_out", "cancelled"}
    return chart_of(definition), taken(visits, ended=ended and found.state == "completed")
