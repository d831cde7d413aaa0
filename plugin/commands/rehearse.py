"""`segue rehearse WORKFLOW`: run it for real against a scripted agent, or against you."""

from __future__ import annotations

import json
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from segue.session.errors import UsageError
from segue.session.ids import RandomIds
from segue.session.ownership import SessionKey
from segue.session.rehearsal import HOST, Rehearsal, RehearsalClock
from segue.session.service import run_id
from segue.session.workflow import discovery
from segue.session.workflow.freetext import from_text
from segue.session.workflow.names import workflow_name

from .. import rehearsing, workspace

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from segue.session.canonical import Json
    from segue.session.service import Service
    from segue.session.workflow.snapshot import Definition


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("workflow", metavar="WORKFLOW", nargs="?", help="its name or file")
    parser.add_argument("text", metavar="TEXT", nargs="*", help="the input, as free text")
    parser.add_argument("--input-json", metavar="J", help="the input, as a JSON object")
    rehearsing.add_arguments(parser)
    parser.add_argument(
        "--keep",
        action="store_true",
        help="keep the run in the project's state; otherwise a throw-away folder is used",
    )
    parser.add_argument("--resume", metavar="RUN", help="go on with a run that was kept")
    workspace.add_arguments(parser)


def run(args: Namespace) -> int:
    if args.resume:
        return _resume(args)
    if not args.workflow:
        raise UsageError("name the workflow to rehearse; `segue list` shows what there is")
    if args.text and args.input_json is not None:
        raise UsageError("give the input as TEXT or as --input-json, not both")
    return _start(args)


def _start(args: Namespace) -> int:
    root = workspace.project_of(args)
    found = discovery.find(args.workflow, root)
    setting = rehearsing.setting_of(args)
    session = RandomIds().new("rehearsal")
    line = None
    if args.keep:
        made = run_id(SessionKey(HOST, session), session)
        line = rehearsing.go_on_line(args, made, args.workflow)
    clock = RehearsalClock()
    with ExitStack() as stack:
        service = stack.enter_context(_service(args, root, clock, stack))
        loaded = service.load(found)
        stack.callback(loaded.worker.kill)
        if setting.answers is not None:
            setting.answers.check(loaded.definition.nodes)
        value = _input(args, loaded.definition)
        service.check_input(loaded, value)  # before there is a run that could go on
        rehearsal = Rehearsal(
            service, clock, setting.cast(), setting.audience(), run_actions=args.run_actions
        )
        with rehearsing.telling_how_to_go_on(line):
            result = rehearsal.start(loaded, value, session)
    return rehearsing.finish(result, setting, line)


def _service(args: Namespace, root: Path, clock: RehearsalClock, stack: ExitStack) -> Service:
    if args.keep:
        return workspace.workspace_of(args).service(clock)
    folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="segue-rehearsal-"))
    return workspace.service_of(root, Path(folder) / "state.sqlite3", clock)


def _input(args: Namespace, definition: Definition) -> Json:
    if args.text:
        return from_text(definition.input_schema, definition.name, " ".join(args.text))
    if args.input_json is None:
        return {}
    try:
        value: Json = json.loads(args.input_json)
    except ValueError as error:
        raise UsageError(f"--input-json is not JSON: {error}") from error
    return value


def _resume(args: Namespace) -> int:
    if args.text or args.input_json is not None:
        raise UsageError("a resumed run has its input already: leave TEXT and --input-json out")
    where = workspace.workspace_of(args)
    if not where.has_state:
        raise rehearsing.nothing_kept(args.resume)
    setting = rehearsing.setting_of(args)
    with where.service(RehearsalClock()) as service:
        report = service.report(args.resume)
        _same_workflow(args.workflow, report.run.workflow, report.run.id)
        result = rehearsing.go_on(args, setting, report, service)
    line = rehearsing.go_on_line(args, report.run.id, report.run.workflow)
    return rehearsing.finish(result, setting, line)


def _same_workflow(named: str | None, workflow: str, run: str) -> None:
    if named and workflow_name(Path(named.rpartition(":")[2]).stem) != workflow:
        raise UsageError(f"run {run} is of workflow '{workflow}', not of '{named}'")
