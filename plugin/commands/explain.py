"""`segue explain`: steps, contracts, sizes, loops, changes and people, from the text."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from segue.session.errors import WorkflowError

from .. import workspace
from ..charts import source_named
from ..explaining import explain

if TYPE_CHECKING:
    import argparse

    from segue.session.workflow.snapshot import Definition


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("workflow", metavar="WORKFLOW", help="a name, a reference or a file")
    workspace.add_arguments(parser)


def run(args: argparse.Namespace) -> int:
    module, workflow = source_named(args.workflow, workspace.project_of(args))
    path = module.document.path

    def loaded() -> Definition | None:
        from ..loading import load_file, may_load

        home = workspace.workspace_of(args).home.path
        with suppress(WorkflowError):  # `check --load` says why; the text can still be told
            return load_file(path) if may_load(path, home) else None
        return None

    print(explain(module, workflow, loaded))
    return 0
