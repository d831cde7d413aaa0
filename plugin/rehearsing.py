"""What `rehearse` and `resume` share: who answers, who watches, how it goes on and ends."""

from __future__ import annotations

import json
import shlex
import sys
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from segue.session import answers
from segue.session.errors import NotFound, SegueError, UsageError
from segue.session.process import is_gone
from segue.session.rehearsal import HOST, Rehearsal, RehearsalClock, Scripted

from .cast import Nobody, Person
from .views.conversation import Conversation
from .views.page import Page
from .views.resumption import tell
from .views.silent import Silent

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterator
    from pathlib import Path

    from segue.session.answers import Answers
    from segue.session.rehearsal import Audience, Cast, Result
    from segue.session.report import Report
    from segue.session.service import Service


def add_arguments(parser: ArgumentParser) -> None:
    """Give a command the options that say who answers."""
    parser.add_argument(
        "--answers",
        metavar="FILE",
        type=_path,
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


def _path(text: str) -> Path:
    from pathlib import Path

    return Path(text)


@dataclass(frozen=True, slots=True)
class Setting:
    """Who answers, where it is drawn, and the words that go on with the run."""

    answers: Answers | None
    page: Page
    quiet: bool
    run_actions: bool
    brief: bool

    def cast(self) -> Cast:
        if self.answers is not None:
            return Scripted(self.answers)
        return Person(self.page) if sys.stdin.isatty() else Nobody()

    def audience(self, done: int = 0) -> Audience:
        if self.quiet and (self.answers is not None or not sys.stdin.isatty()):
            return Silent()
        return Conversation(self.page, faked=not self.run_actions, done=done, brief=self.brief)


def setting_of(args: Namespace) -> Setting:
    """Read the options of `add_arguments`; beside JSON everything else goes to stderr."""
    given = None if args.answers is None else answers.read(args.answers)
    page = Page(sys.stderr if args.json else sys.stdout)
    return Setting(given, page, args.json, args.run_actions, args.brief)


def go_on_line(args: Namespace, run_id: str, workflow: str) -> str:
    """Give the exact command that goes on with a kept rehearsal."""
    words = ["segue", "rehearse", workflow, "--resume", run_id]
    for option in ("answers", "state", "project"):
        if (value := getattr(args, option)) is not None:
            words += [f"--{option}", str(value)]
    return shlex.join([*words, *(["--run-actions"] if args.run_actions else [])])


@contextmanager
def telling_how_to_go_on(line: str | None) -> Iterator[None]:
    """Add the command that goes on to what stopped a kept rehearsal; None: it is not kept."""
    try:
        yield
    except KeyboardInterrupt:
        if line:
            print(f"\nsegue: stopped, nothing is lost; go on: {line}", file=sys.stderr)
        raise
    except UsageError:
        raise
    except SegueError as error:
        if line:
            error.args = (f"{error}; then go on: {line}",)
        raise


def go_on(args: Namespace, setting: Setting, report: Report, service: Service) -> Result:
    """Go on with a kept rehearsal where it stands; its worker comes up meanwhile."""
    clock = service.clock
    assert isinstance(clock, RehearsalClock)
    if setting.answers is not None:
        setting.answers.check(report.definition.nodes)
    rehearsal = Rehearsal(
        service,
        clock,
        setting.cast(),
        setting.audience(report.done),
        run_actions=args.run_actions,
    )
    run = report.run
    if run.ended_at:
        return rehearsal.result(run, report.definition)
    check(report)
    worker = service.spawn()
    try:
        tell(setting.page, report, service.drifts(run))
        with telling_how_to_go_on(go_on_line(args, run.id, run.workflow)):
            result = rehearsal.go_on(run, worker)
    finally:
        worker.kill()
    # Which answers the earlier processes used is not known here: nothing is said of the rest.
    return replace(result, leftover={})


def check(report: Report) -> None:
    """Refuse a run that cannot go on from here.

    Raises:
        SegueError: It is no rehearsal, somebody drives it now, or an effect of it is unknown.
    """
    run = report.run
    if run.origin.host != HOST:
        raise SegueError(
            f"run {run.id} belongs to session {run.origin}: only that session drives it"
        )
    check_free(report)
    if run.state == "ambiguous":
        raise SegueError(f"run {run.id} stands still: {run.detail}")


def check_free(report: Report) -> None:
    """Refuse a run that a living process drives.

    Raises:
        SegueError: With that process.
    """
    owner = report.owner
    if owner is not None and owner.detached_at is None and is_gone(owner.process) is False:
        raise SegueError(
            f"run {report.run.id} is driven by process {owner.process.pid}: end that one first"
        )


def nothing_kept(text: str) -> NotFound:
    return NotFound(f"there is no run {text!r}: nothing was kept in this project yet")


def finish(result: Result, setting: Setting, line: str | None) -> int:
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
