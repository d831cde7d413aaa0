"""Rehearses from the command line: `rehearse` and `resume` share all of it but their arguments.

The worker is up before this module is imported: both come up side by side.
"""

from __future__ import annotations

import json
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from segue.session.errors import SegueError, UsageError
from segue.session.ids import RandomIds
from segue.session.ownership import Act, Actor, SessionKey, Who
from segue.session.ownership import check as check_actor
from segue.session.process import is_gone
from segue.session.rehearsal import HOST, Rehearsal, RehearsalClock

from . import workspace
from .setting import Setting, go_on_line, setting_of
from .views.resumption import tell

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator

    from segue.session.canonical import Json
    from segue.session.engine.child import Worker
    from segue.session.rehearsal import Result
    from segue.session.report import Report
    from segue.session.service import Service
    from segue.session.workflow.discovery import Found
    from segue.session.workflow.snapshot import Definition


def start(args: Namespace, root: Path, found: Found, worker: Worker) -> int:
    """Rehearse from the start, kept or thrown away."""
    from segue.session.launches import run_id

    setting = setting_of(args)
    session = RandomIds().new("rehearsal")
    line = None
    if args.keep:
        made = run_id(SessionKey(HOST, session), session)
        line = go_on_line(args, made, args.workflow)
    clock = RehearsalClock()
    with _service(args, root, clock) as service:
        loaded = service.load(found, worker)
        if setting.answers is not None:
            setting.answers.check(loaded.definition.nodes)
        value = _input(args, setting, loaded.definition)
        service.check_input(loaded, value)  # before there is a run that could go on
        rehearsal = _rehearsal(service, clock, setting, 0)
        with _telling_how_to_go_on(line):
            result = rehearsal.start(loaded, value, session)
    return _finish(result, setting, line)


@contextmanager
def _service(args: Namespace, root: Path, clock: RehearsalClock) -> Iterator[Service]:
    if args.keep:
        with workspace.workspace_of(args).service(clock) as service:
            yield service
        return
    with (
        tempfile.TemporaryDirectory(prefix="segue-rehearsal-") as folder,
        workspace.service_of(root, Path(folder) / "state.sqlite3", clock) as service,
    ):
        yield service


def _input(args: Namespace, setting: Setting, definition: Definition) -> Json:
    if args.text:
        from segue.session.workflow.freetext import from_text

        return from_text(definition.input_schema, definition.name, " ".join(args.text))
    if args.input_json is None and setting.answers is not None and setting.answers.input:
        return setting.answers.input
    return json_of("--input-json", args.input_json or "{}")


def json_of(option: str, text: str) -> Json:
    """Read the JSON that an option gives."""
    try:
        value: Json = json.loads(text)
    except ValueError as error:
        raise UsageError(f"{option} is not JSON: {error}") from error
    return value


def _rehearsal(service: Service, clock: RehearsalClock, setting: Setting, done: int) -> Rehearsal:
    return Rehearsal(
        service, clock, setting.cast(), setting.audience(done), run_actions=setting.run_actions
    )


@contextmanager
def _telling_how_to_go_on(line: str | None) -> Iterator[None]:
    """Add the command that goes on to what stopped a kept rehearsal; None: it is not kept."""
    try:
        yield
    except KeyboardInterrupt:
        if line:
            print(f"\nsegue: stopped, nothing is lost; go on: {line}", file=sys.stderr)
        raise
    except SegueError as error:
        if line:
            error.args = (f"{error}; then go on: {line}",)
        raise


def go_on(
    args: Namespace, run: str, worker: Worker, *, workflow: str = "", settle: str | None = None
) -> int:
    """Go on with a kept rehearsal where it stands.

    Args:
        args: The command's arguments.
        run: The run that the person names.
        worker: Coming up meanwhile.
        workflow: The workflow that the person takes it for.
        settle: What became of an effect that a crash left unknown.
    """
    setting = setting_of(args)
    clock = RehearsalClock()
    with workspace.workspace_of(args).service(clock) as service:
        report = service.report(run)
        name, run = report.run.workflow, report.run.id
        if workflow and workflow != name:
            raise UsageError(f"run {run} is of workflow '{name}', not of '{workflow}'")
        if setting.answers is not None:
            setting.answers.check(report.definition.nodes)
        if settle is not None:
            _settle(service, report, settle, args.output)
            report = service.report(run)
        line = go_on_line(args, run, name)
        rehearsal = _rehearsal(service, clock, setting, report.done)
        if report.run.ended_at:
            result = rehearsal.result(report.run, report.definition)
            setting.audience(report.done).ended(report.run, result.output)
        else:
            _check(report)
            tell(setting.page, report, service.drifts(report.run))
            with _telling_how_to_go_on(line):
                result = rehearsal.go_on(report.run, worker)
    # Which answers the earlier processes used is not known here: nothing is said of the rest.
    return _finish(result._replace(leftover={}), setting, line)


def _check(report: Report) -> None:
    """Refuse a run that cannot go on from here."""
    run = report.run
    if run.origin.host != HOST:
        raise SegueError(
            f"run {run.id} belongs to session {run.origin}: only that session drives it"
        )
    _check_free(report)
    if run.state == "ambiguous":
        raise SegueError(f"run {run.id} stands still: {run.detail}")


def _check_free(report: Report) -> None:
    """Refuse a run that a living process drives."""
    owner = report.owner
    if owner is not None and owner.detached_at is None and is_gone(owner.process) is False:
        raise SegueError(
            f"run {report.run.id} is driven by process {owner.process.pid}: end that one first"
        )


def _settle(service: Service, report: Report, how: str, output: str | None) -> None:
    check_actor(Actor(Who.ELSEWHERE), Act.RESUME, report.run.origin)
    _check_free(report)
    value = None if output is None else json_of("--output", output)
    authority = service.attach(report.run.origin, instance="segue", reason="settle")
    runner = service.runner(report.run, authority)
    try:
        runner.settle(how, value)
    finally:
        runner.close()
        service.detach(authority)


def _finish(result: Result, setting: Setting, line: str | None) -> int:
    """Print the result where programs read it, and give the exit code."""
    if setting.quiet:
        print(json.dumps(result.to_json(), ensure_ascii=False))
    for node, count in result.leftover.items():
        items = "item" if count == 1 else "items"
        print(f"segue: note: {count} {items} for '{node}' never needed", file=sys.stderr)
    if result.status == "completed":
        return 0
    if line and result.status not in ("failed", "timed_out", "cancelled"):
        print(f"segue: go on: {line}", file=sys.stderr)
    return 1
