"""`segue rehearse WORKFLOW`: run it for real against a scripted agent, or against you."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from segue.session.errors import NotFound, UsageError
from segue.session.workflow.names import workflow_name

from .. import workspace

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("workflow", metavar="WORKFLOW", nargs="?", help="its name or file")
    parser.add_argument("text", metavar="TEXT", nargs="*", help="the input, as free text")
    parser.add_argument("--input-json", metavar="J", help="the input, as a JSON object")
    add_who_answers(parser)
    parser.add_argument(
        "--keep",
        action="store_true",
        help="keep the run in the project's state; otherwise a throw-away folder is used",
    )
    parser.add_argument("--resume", metavar="RUN", help="go on with a run that was kept")
    workspace.add_arguments(parser)


def add_who_answers(parser: ArgumentParser) -> None:
    """Give a command the options that say who answers and what is shown."""
    parser.add_argument(
        "--answers",
        metavar="FILE",
        type=Path,
        help='a JSON object, {"node": [answer, ...]}: one item for each submission, a mounted node'
        ' by its path; a command\'s item is {"stdout", "stderr", "exit_code"}, and'
        ' {"$outcome": "timed_out"} lets a step\'s time run out. Without it you are asked',
    )
    parser.add_argument(
        "--run-actions", action="store_true", help="run actions and commands for real"
    )
    parser.add_argument(
        "--brief", action="store_true", help="show of each message only the author's own prompt"
    )
    parser.add_argument("--json", action="store_true", help="print only the result, as JSON")


def run(args: Namespace) -> int:
    if args.text and args.input_json is not None:
        raise UsageError("give the input as TEXT or as --input-json, not both")
    if args.resume:
        return _resume(args)
    if not args.workflow:
        raise UsageError("name the workflow to rehearse; `segue list` shows what there is")
    from segue.session.workflow import discovery  # a resumed run is found in the store

    root = workspace.project_of(args)
    found = discovery.find(args.workflow, root)
    with workspace.worker(root) as worker:
        from .. import rehearsing

        return rehearsing.start(args, root, found, worker)


def _resume(args: Namespace) -> int:
    if args.text or args.input_json is not None:
        raise UsageError("a resumed run has its input already: leave TEXT and --input-json out")
    where = workspace.workspace_of(args)
    if not where.has_state:
        raise NotFound(where.nothing_kept(args.resume))
    # `builtin:autoplan`, a file's path and a name all mean the workflow of that stem.
    named = workflow_name(Path((args.workflow or "").rpartition(":")[2]).stem)
    with workspace.worker(where.root) as worker:
        from .. import rehearsing

        return rehearsing.go_on(args, args.resume, worker, workflow=named)
