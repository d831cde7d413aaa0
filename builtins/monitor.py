"""Look at something again and again, and act within what was allowed, until it is done."""

import hashlib
from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from segue import Context, Workflow
from segue.builtins._fields import Id, Paragraph, Strict, Text, block, bullets

TASK_CHARS = 8_000
STOP_CHARS = 2_000
EVERY_MINUTES, EVERY_MINUTES_MOST = 30, 24 * 60
MAX_CHECKS = 1_000
MISSED_MOST = 3
ACT_SECONDS = 30 * 60
STEPS_PER_CHECK = 5
PAIR_CHARS = 16
RECENT = 20
PROMPT_BUDGET = 20_000


class Watch(Strict):
    """What is to be watched."""

    task: Annotated[str, StringConstraints(min_length=1, max_length=TASK_CHARS)] = Field(
        description="What is watched, what it is to become, and what may be done about it."
    )
    stop_when: Annotated[str, StringConstraints(max_length=STOP_CHARS)] | None = Field(
        default=None, description="When it is over; without it, when the task is done."
    )
    every_minutes: Annotated[int, Field(ge=1, le=EVERY_MINUTES_MOST)] = EVERY_MINUTES
    max_checks: Annotated[int, Field(ge=1, le=MAX_CHECKS)] = MAX_CHECKS


class Observation(Strict):
    """What one check found, and what follows."""

    decision: Literal["wait", "act", "stop"]
    report: Text = Field(description="What the person reads of this check.")
    failure_id: Id | None = Field(
        default=None,
        description="For act: a name of what is wrong or missing, the same at every check as long"
        " as it is the same.",
    )
    target_state_id: Id | None = Field(
        default=None,
        description="For act: a name of the state that the target is in now, such as its commit,"
        " version or build; the same as long as the target has not changed.",
    )
    action: Paragraph | None = Field(default=None, description="For act: what will be done.")
    authority: Paragraph | None = Field(
        default=None, description="For act: the words that allow it, and where they stand."
    )
    outcome: Literal["done", "blocked"] | None = Field(default=None, description="For stop.")

    @model_validator(mode="after")
    def _says_what_its_decision_needs(self) -> Self:
        acting = (self.failure_id, self.target_state_id, self.action, self.authority)
        if self.decision == "act" and None in acting:
            raise ValueError("with decision act: failure_id, target_state_id, action and authority")
        if self.decision != "act" and acting != (None,) * len(acting):
            raise ValueError(
                "failure_id, target_state_id, action and authority only with decision act"
            )
        if (self.decision == "stop") != (self.outcome is not None):
            raise ValueError("an outcome with decision stop, and only then")
        return self


class Act(Strict):
    """What was done."""

    result: Paragraph


_Next = Literal["wait", "act", "done", "blocked", "used_up"]


class Turn(Strict):
    """What follows a check, and what has to be remembered for the next ones."""

    next: _Next
    why: str
    check: int
    missed: int
    acted: list[str] = Field(description="Failure and target state of each action, as digests.")
    recent: list[str] = Field(description="The same of the last actions, as names.")


class Ending(Strict):
    """How the watching ended."""

    outcome: Literal["done", "blocked", "checks_used_up"]
    why: str
    checks: int
    actions: int


monitor = Workflow(
    "monitor",
    input=Watch,
    start="observe",
    max_steps=MAX_CHECKS * STEPS_PER_CHECK,
    title="Watch and act",
    description="Look again and again, and act, until it is done.",
    revision=1,
)


def _orders(ctx: Context[Watch]) -> str:
    until = ctx.input.stop_when or "The task is done."
    return block("task", ctx.input.task) + block("stop_when", until)


@monitor.agent(output=Observation, status="checking")
def observe(ctx: Context[Watch]) -> str:
    done = ctx.latest(act, None)
    last, before = ctx.latest(observe, None), ctx.latest(turn, None)
    names = bullets(before.recent) if before and before.recent else None
    return (
        f"Check {ctx.visit} of at most {ctx.input.max_checks}. Look at the present state of the"
        " task below, afresh and with your own eyes: what an earlier check found may have changed."
        " Only look. Change nothing, start nothing, repair nothing in this step.\n\n"
        "Then decide:\n"
        "- stop, outcome done: stop_when holds now, and you have seen that it does.\n"
        "- act: the task is not moving on by itself, and one thing can be done about it now that"
        " the task or the user in this conversation has allowed. Quote those words in authority."
        " Being able to do something is no permission.\n"
        "- stop, outcome blocked: it cannot move on without something that you may not do or do"
        " not have. Say what, and from whom.\n"
        "- wait: everything else, above all while something is still under way.\n\n"
        "If you act, failure_id names what is wrong or missing and target_state_id the state that"
        " the target is in. The same thing has the same name at every check, and another thing has"
        " another name. The same two names again mean that the action did not help; it is not"
        " repeated.\n\n"
        "report: two or three sentences for the person who is not here. What you looked at, what"
        " you saw, what follows."
        f"{_orders(ctx)}{block('last_check', last.report if last else None)}"
        f"{block('last_action', done.result if done else None)}{block('acted_on', names)}"
    )


@monitor.notify
def report(ctx: Context[Watch]) -> str:
    turn, seen = _turn(ctx), ctx.latest(observe, None)
    said = f" {seen.report}" if seen is not None else ""
    after = f" The next check is in {_minutes(ctx)}." if turn.next in ("wait", "act") else ""
    return f"Check {turn.check}: {_WORDS[turn.next]}.{said}{_why(turn, seen)}{after}"


_WORDS = {
    "wait": "waiting",
    "act": "acting",
    "done": "done",
    "blocked": "blocked",
    "used_up": "no checks are left",
}


def _why(turn: Turn, seen: Observation | None) -> str:
    return "" if seen is not None and turn.why == seen.report else f" {turn.why}"


def _minutes(ctx: Context[Watch]) -> str:
    every = ctx.input.every_minutes
    return "1 minute" if every == 1 else f"{every} minutes"


@monitor.compute
def turn(ctx: Context[Watch]) -> Turn:
    return _turn(ctx)


def _turn(ctx: Context[Watch]) -> Turn:
    """Decide by code what the check leads to: nothing is tried twice, nothing goes on for ever."""
    seen, before = ctx.latest(observe, None), ctx.latest(turn, None)
    acted = list(before.acted) if before else []
    recent = list(before.recent) if before else []
    missed = 0 if seen is not None else (before.missed if before else 0) + 1

    def to(following: _Next, why: str) -> Turn:
        return Turn(
            next=following,
            why=why,
            check=ctx.visit,
            missed=missed,
            acted=acted,
            recent=recent[-RECENT:],
        )

    if seen is None:
        why = "The check did not come to an end."
        if missed >= MISSED_MOST:
            return to("blocked", f"{why} That was so {missed} times in a row.")
        return to(_waiting(ctx), why)
    if seen.decision == "stop":
        return to("done" if seen.outcome == "done" else "blocked", seen.report)
    if seen.decision == "wait":
        return to(_waiting(ctx), seen.report)
    pair = _pair(seen)
    if pair in acted:
        return to(
            "blocked",
            f"The same failure ({seen.failure_id}) in the same state ({seen.target_state_id}) was"
            " acted on before, and is back. It is not tried again.",
        )
    if ctx.visit >= ctx.input.max_checks:
        return to("used_up", "It was not acted on: no check is left to see what would come of it.")
    acted.append(pair)
    recent.append(f"{seen.failure_id} at {seen.target_state_id}")
    return to("act", seen.report)


def _waiting(ctx: Context[Watch]) -> _Next:
    return "wait" if ctx.visit < ctx.input.max_checks else "used_up"


def _pair(seen: Observation) -> str:
    text = f"{seen.failure_id}\n{seen.target_state_id}"
    return hashlib.sha256(text.encode()).hexdigest()[:PAIR_CHARS]


@monitor.agent(output=Act, timeout=ACT_SECONDS, status="acting")
def act(ctx: Context[Watch]) -> str:
    seen = ctx.output(observe)
    return (
        "Do the one thing that the check decided on, and nothing beyond it.\n\n"
        f"Do: {seen.action}\n\nBecause: {seen.failure_id}, at {seen.target_state_id}.\n\n"
        f"Allowed by: {seen.authority}\n\n"
        "Look first whether it is still needed. If the words above do not allow it after all, or it"
        " turns out to be more than was decided, do not do it and say so. Do not wait for its"
        " effect: the next check sees it.\n\n"
        f"result: what you did and what came of it, or why you did nothing.{_orders(ctx)}"
    )


def _pause(ctx: Context[Watch]) -> float:
    return ctx.input.every_minutes * 60


pause = monitor.wait("pause", seconds=_pause, status="until the next check")


def _ending(ctx: Context[Watch], outcome: Literal["done", "blocked", "checks_used_up"]) -> Ending:
    last = ctx.output(turn)
    return Ending(outcome=outcome, why=last.why, checks=last.check, actions=len(last.acted))


@monitor.compute
def finished(ctx: Context[Watch]) -> Ending:
    return _ending(ctx, "done")


@monitor.compute
def stuck(ctx: Context[Watch]) -> Ending:
    return _ending(ctx, "blocked")


@monitor.compute
def used_up(ctx: Context[Watch]) -> Ending:
    return _ending(ctx, "checks_used_up")


monitor.edge(observe, report)
monitor.on_failure(observe, report)
monitor.edge(report, turn)
monitor.switch(
    turn,
    on="next",
    cases={
        "wait": pause,
        "act": act,
        "done": finished,
        "blocked": stuck,
        "used_up": used_up,
    },
)
monitor.edge(act, pause)
monitor.on_failure(act, pause)
monitor.edge(pause, observe)

done = monitor.exit("done", finished, output=Ending)
blocked = monitor.exit("blocked", stuck, output=Ending)
checks_used_up = monitor.exit("checks-used-up", used_up, output=Ending)
