"""`segue resume RUN`: a run that waits goes on; an effect that a crash left unknown is settled."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from segue.session.errors import SegueError, UsageError
from segue.session.ownership import Act, Actor, Who
from segue.session.ownership import check as check_owner
from segue.session.rehearsal import RehearsalClock

from .. import rehearsing, workspace

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from segue.session.report import Report
    from segue.session.service import Service


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", help="the run's id, or the beginning of it")
    rehearsing.add_arguments(parser)
    parser.add_argument(
        "--effect",
        choices=("done", "again", "failed"),
        help="for an ambiguous run, what became of the interrupted action: it happened, it did"
        " not and is to run again, or it failed",
    )
    parser.add_argument("--output", metavar="JSON", help="with --effect done: the step's output")
    workspace.add_arguments(parser)


def run(args: Namespace) -> int:
    if args.output is not None and args.effect != "done":
        raise UsageError("--output goes with --effect done")
    where = workspace.workspace_of(args)
    if not where.has_state:
        raise rehearsing.nothing_kept(args.run)
    setting = rehearsing.setting_of(args)
    with where.service(RehearsalClock()) as service:
        report = service.report(args.run)
        if report.run.ended_at:
            raise SegueError(
                f"run {report.run.id} has ended already ({report.run.state}): segue show"
                f" {report.run.id}"
            )
        if args.effect:
            _settle(service, report, args.effect, _output(args.output))
            report = service.report(report.run.id)
        result = rehearsing.go_on(args, setting, report, service)
    line = rehearsing.go_on_line(args, report.run.id, report.run.workflow)
    return rehearsing.finish(result, setting, line)


def _output(text: str | None) -> Any:
    try:
        return None if text is None else json.loads(text)
    except ValueError as error:
        raise UsageError(f"--output is not JSON: {error}") from error


def _settle(service: Service, report: Report, how: str, output: Any) -> None:
    check_owner(Actor(Who.ELSEWHERE), Act.RESUME, report.run.origin)
    rehearsing.check_free(report)
    authority = service.attach(report.run.origin, instance="segue", reason="settle")
    runner = service.runner(report.run, authority)
    try:
        runner.settle(how, output)
    finally:
        runner.close()
        service.detach(authority)
