"""What a rehearsal is played with: who answers, who watches, and where it is drawn."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING, NamedTuple

from segue.session import answers
from segue.session.rehearsal import Scripted

from .cast import Nobody, Person
from .views.conversation import Conversation
from .views.page import Page
from .views.silent import Silent

if TYPE_CHECKING:
    from argparse import Namespace

    from segue.session.answers import Answers
    from segue.session.rehearsal import Audience, Cast


class Setting(NamedTuple):
    """`quiet` where only the JSON result is wanted: everything else goes beside stdout."""

    answers: Answers | None
    page: Page
    quiet: bool
    run_actions: bool
    brief: bool

    def cast(self) -> Cast:
        if self.answers is not None:
            return Scripted(self.answers)
        return Person(self.page) if sys.stdin.isatty() else Nobody()

    def audience(self, done: int) -> Audience:
        """Give the view; `done` steps were drawn by an earlier process."""
        if self.quiet and (self.answers is not None or not sys.stdin.isatty()):
            return Silent()
        return Conversation(
            self.page,
            faked=not self.run_actions,
            done=done,
            brief=self.brief,
            echo=self.answers is not None,
        )


def setting_of(args: Namespace) -> Setting:
    """Read the options that `rehearse` and `resume` share."""
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
