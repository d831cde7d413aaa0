"""Answers to the open request: the model's, a person's, and none in time (T2, H2, H3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from . import calling, moves, stopping
from .canonical import clean, compact, digest, digest_text
from .engine.state import RequestEvent, RunState, StepEvent, move_request
from .errors import Conflict, Fenced, NotFound, SegueError
from .standing import CancelAsked, Parked, Receipt
from .store import requests
from .workflow.parse import unsendable

if TYPE_CHECKING:
    from .runner import Runner
    from .store.records import Request
    from .store.tx import Tx

_ANSWERABLE: Final = ("checkpoint", "human", "missing_submission", "turn_failed")
"""Reasons of a wait in which the open request can still be answered."""


def submit(runner: Runner, request_id: str, raw: Any) -> Receipt:
    """Take an answer to the open request.

    Raises:
        NotFound: No request of this run has that id.
        Conflict: It was answered with something else, or is closed.
    """
    request = _requested(runner, request_id)
    problem = unsendable(raw)
    key = digest(raw) if problem is None else digest_text(problem)
    if request.state != "open":
        return _closed(runner, request, key)
    _check_answerable(runner)
    _settle_budget(runner)
    if problem is not None:
        listed = {"path": "(whole)", "expected": "one JSON value", "received": problem}
        return _reject(runner, request, key, problem, [listed])
    try:
        return _check(runner, request, key, raw)
    except Parked as error:
        raise Conflict(f"run {runner.run.id} waits: {runner.run.detail}") from error
    except CancelAsked as error:
        stopping.carry_out_cancel(runner)
        raise Conflict(f"run {runner.run.id} has been cancelled") from error
    except Fenced:
        runner.close()
        raise


def _requested(runner: Runner, request_id: str) -> Request:
    if runner.request is not None and runner.request.id == request_id:
        return runner.request  # whoever closes it also changes the run: our write would tell
    with runner.store.single() as db:
        request = requests.get(db, request_id)
    if request is None or request.run != runner.run.pk:
        raise NotFound(_no_request(runner, request_id))
    return request


def _check(runner: Runner, request: Request, key: bytes, raw: Any) -> Receipt:
    assert runner.attempt is not None
    node = runner.definition.node(runner.attempt.node)
    as_text = node.kind == "assistant"
    reply = calling.call(runner, node, runner.attempt, "validate", raw=raw, text=as_text)
    if "ok" in reply:
        note = "Accepted. End your turn now: the next step comes as the next message."
        receipt = Receipt(True, request.id, note, reply.get("normalized", False))
        moves.finish(runner, StepEvent.FINISH, output=reply["ok"], answer=(request, key, receipt))
        return receipt
    if "rejected" in reply:
        return _reject(runner, request, key, raw, reply["rejected"])
    moves.failed(runner, reply)
    raise SegueError(f"the answer could not be checked: {reply.get('failed') or reply}")


def _check_answerable(runner: Runner) -> None:
    """A run that waits for a person to resume it takes no answer before they do.

    Raises:
        Conflict: With the state it is in.
    """
    run = runner.run
    if run.state == RunState.RUNNING:
        return
    if run.state == RunState.WAITING and run.reason in _ANSWERABLE:
        return
    why = f" ({run.reason})" if run.reason else ""
    raise Conflict(f"run {run.id} is {run.state}{why}: a person has to resume it first")


def _settle_budget(runner: Runner) -> None:
    if runner.budget is not None and runner.budget.exceeded():
        moves.finish(runner, StepEvent.TIME_OUT, reason=f"took more than {runner.budget.limit:g} s")
        raise Conflict("the step's time was over before the answer came")


def _no_request(runner: Runner, request_id: str) -> str:
    open_ = "none is open" if runner.request is None else f"open is {runner.request.id}"
    return f"no request {request_id!r} in run {runner.run.id} ({open_})"


def _closed(runner: Runner, request: Request, key: bytes) -> Receipt:
    if request.state == "answered" and request.answer == key:
        saved = request.receipt_json()
        return Receipt(
            saved["accepted"],
            request.id,
            saved["message"],
            saved["normalized"],
            tuple(saved["problems"]),
        )
    raise Conflict(f"request {request.id} is {request.state} already; {_no_request(runner, '')}")


def _reject(
    runner: Runner, request: Request, key: bytes, raw: Any, problems: list[dict[str, str]]
) -> Receipt:
    move_request(request.state, RequestEvent.REJECT)
    with runner.store.single() as db:
        again = requests.seen_before(db, request, key)
    text = clean(raw if isinstance(raw, str) else compact(raw))

    def body(tx: Tx) -> None:
        number = requests.reject(tx, request, key, text, problems)
        tx.event("rejected", {"request": request.id, "number": number})

    runner.write(body)
    with runner.store.single() as db:
        runner.request = requests.get(db, request.id)
    lines = [f"- {p['path']}: expected {p['expected']}; received {p['received']}" for p in problems]
    message = "Not accepted; the request stays open.\n" + "\n".join(lines)
    if again:
        message += "\nThis is the same answer as before: change what is named above."
    return Receipt(False, request.id, message, problems=tuple(problems))


def take_given(runner: Runner) -> None:
    """Carry out an answer that a person gave elsewhere or in a dialog (H2)."""
    if runner.request is None or not runner.noticed:
        return  # it comes by way of another connection, and `look` notices that
    with runner.store.single() as db:
        given = requests.given(db, runner.request)
    if given is None:
        runner.noticed = False
    if given is None or not runner.hears():
        return
    if runner.request.kind == "human":
        _decided(runner, given, f"'{given['choice']}' was taken.")
        return
    receipt = submit(runner, runner.request.id, given["output"])
    if not receipt.accepted:
        request = runner.request

        def body(tx: Tx) -> None:
            requests.forget_given(tx, request)
            tx.event("given_rejected", {"request": request.id})

        runner.write(body)


def time_out_person(runner: Runner, choice: str) -> None:
    answer = {"choice": choice, "text": None, "provenance": "timeout"}
    _decided(runner, answer, f"No answer in time: '{choice}' was taken.")


def _decided(runner: Runner, answer: dict[str, Any], said: str) -> None:
    assert runner.request is not None
    assert runner.attempt is not None
    moves.finish(
        runner,
        StepEvent.FINISH,
        output=compact(answer),
        answer=(runner.request, digest(answer), Receipt(True, runner.request.id, said)),
        told=("set", runner.attempt.node, answer),
    )
