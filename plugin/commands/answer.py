"""`segue answer REQUEST`: answer a checkpoint; approve as a person, at a terminal (H1, H2)."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Any

from segue.session.errors import Conflict, NotAllowed, SegueError, UsageError

from .. import asking, workspace
from ..terminal_person import PersonNeeded, refuse_agents, terminal

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from segue.session.outlook import Question
    from segue.session.service import Service
    from segue.session.store.records import Run

    from ..terminal_person import Terminal


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("request", metavar="REQUEST", help="its id, as `segue why RUN` gives it")
    parser.add_argument(
        "choice",
        metavar="CHOICE",
        nargs="?",
        help="one of the choices; for a checkpoint the answer, as JSON or as text",
    )
    parser.add_argument("--text", metavar="T", help="what goes with a choice that wants a text")
    asking.add_wait(parser)
    asking.add_json(parser)
    workspace.add_arguments(parser)


def run(args: Namespace) -> int:
    where = asking.opened(args, f"request {args.request!r}")
    with where.service() as service:
        run, question = service.asked(args.request)
        request = question.request
        if request.kind not in ("human", "checkpoint"):
            raise NotAllowed(f"request {request.id} is the model's to answer, in its session")
        if request.kind == "human":
            refuse_agents(os.environ)
        if request.state != "open":
            raise Conflict(f"request {request.id} is {request.state} already")
        if request.kind == "human":
            _decide(args, service, run, question)
        else:
            service.give(request.id, _checkpoint(args, question), asking.ELSEWHERE)
        return _tell(args, service, run, question)


def _checkpoint(args: Namespace, question: Question) -> Any:
    if args.text is not None:
        raise UsageError("--text goes with a person's choice; a checkpoint takes one answer")
    text = args.choice
    if text is None:
        if not sys.stdin.isatty():
            raise UsageError(
                f"give the answer to {question.request.id}, which asks: {question.text}"
            )
        print(question.text, file=sys.stderr)
        text = input("Answer: ")
    try:
        return json.loads(text)
    except ValueError:
        return text


def _decide(args: Namespace, service: Service, run: Run, question: Question) -> None:
    """Show exactly what is approved, have it approved, store it with its digest."""
    node = question.node
    if node is None:
        raise SegueError(f"run {run.id} cannot be read by this version of Segue")
    if args.choice is not None and args.choice not in node.choices:
        raise UsageError(f"{args.choice!r} is no choice here: {', '.join(node.choices)}")
    with terminal(os.environ) as tty:
        _show(tty, run, question)
        choice = args.choice or tty.ask(f"Your choice ({', '.join(node.choices)}): ")
        if choice not in node.choices:
            raise PersonNeeded(f"{choice!r} is no choice here: nothing is changed")
        text = args.text
        if text is None and choice in node.text:
            text = tty.ask(f"Text for {choice}: ")
        if text is not None:
            tty.show(f"  text: {text}")
        tty.approve(run.workflow, f"answer '{choice}'")
    service.decide(question.request.id, choice, text, question.shown, asking.ELSEWHERE)


def _show(tty: Terminal, run: Run, question: Question) -> None:
    tty.show(f"{run.workflow}, run {run.id}, of session {run.origin}, asks:")
    tty.show()
    for line in question.text.split("\n"):
        tty.show(f"  | {line}")
    tty.show()
    tty.show(f"  request {question.request.id}, shown text {question.shown.hex()[:12]}")


def _tell(args: Namespace, service: Service, run: Run, question: Question) -> int:
    request = question.request
    before = service.outlook(run.id).status
    service.carry_out_answer(request)

    def done() -> bool:
        now = service.asked(request.id)[1]
        return now.request.state != "open" or not now.given

    settled = asking.wait_until(service, done, 0.0 if before.attached is False else args.wait)
    now, after = service.asked(request.id)[1], service.outlook(run.id)
    if settled and now.request.state == "open":
        raise SegueError(f"the answer does not fit: {_problems(service, request.id)}")
    if settled:
        said = f"run {run.id} ({run.workflow}): the answer was taken"
    else:
        said = (
            f"run {run.id} ({run.workflow}): the answer is stored; session {run.origin} takes it"
            f" ({after.proof})"
        )
    asking.said(args, after, said, taken=settled)
    return 0


def _problems(service: Service, request_id: str) -> str:
    return "; ".join(
        f"{p['path']}: expected {p['expected']}; received {p['received']}"
        for p in service.problems(request_id)
    )
