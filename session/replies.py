"""What the model and the person say to requests and runs, and what they get back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from . import delivering, ownership
from .canonical import digest
from .errors import Conflict, NotAllowed, NotFound
from .hosts import Door, Evidence
from .ownership import Act, Who
from .store import attachments, requests, runs

if TYPE_CHECKING:
    from .binding import Binding
    from .hosts import Offer
    from .ownership import Actor
    from .runner import Runner
    from .standing import Receipt
    from .store.records import Request, Run

_WRONG_KIND: Final = {
    "output": 'request {request} is a step\'s output: use action "submit"',
    "reply": "request {request} is answered by the text of the turn: say it, then end your turn",
    "checkpoint": 'request {request} is a checkpoint: use action "answer"',
    "human": "request {request} is for a person alone: end your turn and wait for them",
}


@dataclass(frozen=True, slots=True)
class Reply:
    """What a host gets back from a call.

    `message` goes into the conversation together with the reply (the in-turn and at-stop
    doors); `notices` are shown to the person.
    """

    text: str
    data: dict[str, Any] = field(default_factory=dict)
    message: Offer | None = None
    notices: tuple[str, ...] = ()


def answer(
    binding: Binding,
    request_id: str,
    raw: Any,
    actor: Actor,
    act: Act,
    call: str,
    kinds: tuple[str, ...],
) -> Reply:
    request, run = _request(binding, request_id, actor, act)
    if request.state != "open":
        _check_kind(request, kinds)
        return _receipt(binding, request, run, raw)
    with binding.driving():
        runner = _driven(binding, request, run, actor, act)
        _check_kind(request, kinds)
        if runner is None:
            raise Conflict(f"run {run.id} is {run.state}: a person has to resume it first")
        receipt = runner.submit(request_id, raw)
        if receipt.accepted and actor.who is Who.MODEL:
            _proved(binding, request)
    return _answered(binding, receipt, call)


def _check_kind(request: Request, kinds: tuple[str, ...]) -> None:
    if request.kind not in kinds:
        raise NotAllowed(_WRONG_KIND[request.kind].format(request=request.id))


def _driven(binding: Binding, request: Request, run: Run, actor: Actor, act: Act) -> Runner | None:
    """Give the runner of a request's run, with what others have stored read in.

    Where there is none any more, the run may be another session's by now: that is said (O3).
    """
    runner = binding.looked()
    if runner is not None and runner.run.pk == run.pk:
        return runner
    _stored(binding, request.id, actor, act)
    return None


def _proved(binding: Binding, request: Request) -> None:
    """Who answers a request has seen its message, where the host has no better proof."""
    if binding.capabilities.evidence is Evidence.ENTRY:
        return
    for message in delivering.pending(binding):
        if message.state == "offered" and message.request == request.pk:
            delivering.move(binding, message, "seen", "seen")


def _answered(binding: Binding, receipt: Receipt, call: str) -> Reply:
    binding.nudge(wait=True)
    message = binding.take(Door.IN_TURN, call) if receipt.accepted and call else None
    text = receipt.message if message is None else f"Accepted. The next step:\n\n{message.text}"
    return Reply(text, receipt.to_json(), message)


def _request(binding: Binding, request_id: object, actor: Actor, act: Act) -> tuple[Request, Run]:
    """Give a request after the ownership table has let the act pass (O3)."""
    ownership.check(actor, act, binding.key)
    if not isinstance(request_id, str) or not request_id:
        raise NotFound(f"request_id is missing. {_state_line(binding)}")
    runner = binding.runner
    asked = None if runner is None else runner.request  # read once: a pump may drive beside us
    if runner is not None and asked is not None and asked.id == request_id:
        ownership.check(actor, act, runner.run.origin)
        return asked, runner.run  # whoever goes on looks, or writes, and is fenced there
    return _stored(binding, request_id, actor, act)


def _stored(binding: Binding, request_id: str, actor: Actor, act: Act) -> tuple[Request, Run]:
    with binding.calls, binding.service.store.read() as db:
        if actor.who is Who.MODEL:
            attachments.verify(db, binding.authority)
        request = requests.get(db, request_id)
        run = None if request is None else runs.by_pk(db, request.run)
    if request is None or run is None:
        raise NotFound(f"there is no request {request_id[:80]!r}. {_state_line(binding)}")
    ownership.check(actor, act, run.origin)
    return request, run


def _receipt(binding: Binding, request: Request, run: Run, raw: Any) -> Reply:
    """The same answer again gets the saved receipt, and no second next step (T2)."""
    try:
        same = request.state == "answered" and request.answer == digest(raw)
    except (TypeError, ValueError):
        same = False
    if not same:
        raise Conflict(
            f"request {request.id} is {request.state} already (run {run.id} is {run.state})."
            f" {_state_line(binding)}"
        )
    saved = request.receipt_json()
    return Reply(str(saved["message"]), saved)


def _state_line(binding: Binding) -> str:
    runner = binding.runner
    if runner is None:
        return "No run of this session is under way."
    open_ = "no request is open" if runner.request is None else f"open: {runner.request.id}"
    return f"Run {runner.run.id} is {runner.run.state}; {open_}."


def update(binding: Binding, request_id: str, data: dict[str, Any], *, actor: Actor) -> Reply:
    """Keep how far the model says an open step is; it never routes."""
    request, run = _request(binding, request_id, actor, Act.UPDATE)
    if request.state != "open":
        raise Conflict(f"request {request.id} is {request.state}. {_state_line(binding)}")
    with binding.driving():
        runner = _driven(binding, request, run, actor, Act.UPDATE)
        if runner is None or runner.run.state != "running":
            state = run.state if runner is None else runner.run.state
            raise Conflict(f"run {run.id} is {state}: it takes no updates now")
        kept = runner.progress(data)
    binding.nudge()
    return Reply("Noted." if kept else "Not kept: too many updates.", {"kept": kept})


def decide(
    binding: Binding,
    request_id: str,
    choice: str,
    text: str | None,
    shown: bytes | None,
    *,
    actor: Actor,
) -> Reply:
    """Take a person's answer to a human request (H1, H2)."""
    request, _ = _request(binding, request_id, actor, Act.ANSWER_HUMAN)
    binding.service.decide(request.id, choice, text, shown, actor)
    binding.nudge()
    return Reply(f"'{choice}' was taken.", {"request": request.id, "choice": choice})


def ask(binding: Binding, what: str, *, actor: Actor) -> Reply:
    """Pause, resume or cancel this session's run."""
    act = {"pause": Act.PAUSE, "resume": Act.RESUME, "cancel": Act.CANCEL}[what]
    ownership.check(actor, act, binding.key)
    with binding.calls:
        with binding.service.store.read() as db:
            if actor.who is Who.MODEL:  # only through the live attachment
                attachments.verify(db, binding.authority)
            run = runs.live_of(db, binding.authority.session)
        if run is None:
            raise NotFound("no run of this session is under way")
        binding.service.ask(run, actor, what)
    binding.nudge()
    with binding.calls:
        run = binding.service.find_run(run.id)
    return Reply(
        f"Run {run.id} ({run.workflow}): {run.state}.", {"run": run.id, "state": run.state}
    )


def settle(binding: Binding, how: str, output: Any, *, actor: Actor) -> Reply:
    """Say what became of an effect that a crash left unknown: done, again or failed."""
    ownership.check(actor, Act.RESUME, binding.key)
    with binding.driving():
        runner = binding.runner
        if runner is None:
            raise NotFound("no run of this session is under way")
        runner.look()
        runner.settle(how, output)
    binding.nudge(wait=True)
    run = runner.run
    return Reply(f"Run {run.id} ({run.workflow}): {run.state}.", {"run": run.id})
