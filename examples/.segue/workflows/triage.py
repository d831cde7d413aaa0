"""Judge a bug report, reproduce it with the project's tests, and let a person decide."""

from _models import Severity
from pydantic import BaseModel, Field

from segue import OUTCOME, Context, ShellResult, Workflow


class Report(BaseModel):
    task: str


class Judgement(BaseModel):
    """What the report comes down to."""

    severity: Severity
    test: str = Field(pattern=r"^[\w/.:-]+$", description="The test that would show the bug.")


triage = Workflow("triage", input=Report, start="judge", max_steps=30)


@triage.agent(output=Judgement, status="reading the report")
def judge(ctx: Context[Report]) -> str:
    said = ctx.latest(ask, "")
    more = f" The reporter added: {said}" if said else ""
    return f"Judge this bug report and name the test that would show it: {ctx.input.task}{more}"


@triage.checkpoint(status="asking the reporter")
def ask(ctx: Context[Report]) -> str:
    return f"The report is not clear. What exactly happens? It said: {ctx.input.task}"


@triage.shell(effect="idempotent", exit_codes=None, status="running the test")
def reproduce(ctx: Context[Report]) -> list[str]:
    return ["python", "-m", "pytest", "-x", ctx.output(judge).test]


@triage.human_decision(choices=["fix", "schedule", "close"], text=["schedule", "close"])
def decide(ctx: Context[Report]) -> str:
    shown = ctx.latest(reproduce, ShellResult(stdout="the test could not be run"))
    return f"{ctx.output(judge).severity.value}: {ctx.excerpt(shown.stdout, 2000)}"


@triage.agent(status="fixing")
def fix(ctx: Context[Report]) -> str:
    return f"Fix the bug until this test passes: {ctx.output(judge).test}"


@triage.assistant(status="writing the answer")
def answer(ctx: Context[Report]) -> str:
    decision = ctx.output(decide)
    return f"Tell the reporter in two sentences: {decision.choice}. {decision.text or ''}"


triage.switch(
    judge,
    on="severity",
    cases={Severity.LOW: decide, Severity.HIGH: reproduce, Severity.UNCLEAR: ask},
)
triage.edge(ask, judge)
triage.switch(reproduce, on=OUTCOME, cases={"ok": decide, "failed": decide, "timed_out": decide})
triage.switch(decide, on="choice", cases={"fix": fix, "schedule": answer, "close": answer})
triage.edge(fix, answer)
