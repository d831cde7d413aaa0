"""The open step said once more: reminded, resumed, restated."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .store import messages

if TYPE_CHECKING:
    from collections.abc import Callable

    from .binding import Binding
    from .runner import Runner
    from .store.tx import Tx


def intent(binding: Binding, kind: str, cause: str) -> None:
    """Say the open step once more."""
    runner = binding.runner
    assert runner is not None
    assert runner.attempt is not None
    assert runner.request is not None
    prompt, attempt, request = runner.prompt, runner.attempt, runner.request

    def body(tx: Tx) -> None:
        runner.voice.intent(tx, runner.run, attempt, request, kind, cause, prompt)
        tx.event(kind, {"request": request.id, "cause": cause})

    runner.write(body)


def resume(binding: Binding, runner: Runner, asker: str) -> None:
    """Go on as a person asked: the open step is said again where it was said before."""
    runner.resume(asker, _again(binding, runner, f"resume:{runner.run.revision}"))


def say_again(binding: Binding, runner: Runner, cause: str) -> None:
    """Say the open step again in a reopened session that goes on by itself."""
    say = _again(binding, runner, cause)

    def body(tx: Tx) -> None:
        if say is not None:
            say(tx)
        tx.event("went_on", {"cause": cause})

    runner.write(body)


def _again(binding: Binding, runner: Runner, cause: str) -> Callable[[Tx], None] | None:
    """Give what says the open step again, inside a write; None where it is due anyway."""
    request, attempt = runner.request, runner.attempt
    if request is None or attempt is None or request.kind == "human":
        return None
    with binding.store.read() as db:
        listed = messages.of_step(db, runner.run.pk, attempt.step)
    if any(m.state == "pending" and m.is_intent for m in listed):
        return None
    prompt = runner.prompt

    def say(tx: Tx) -> None:
        for message in listed:
            if message.state == "offered" and message.is_intent:
                messages.move(tx, message, "cancelled")
        runner.voice.intent(tx, runner.run, attempt, request, "resumed", cause, prompt)

    return say
