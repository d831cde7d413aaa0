"""Plan a feature with a person, build it, test it, and wait for the next nightly build."""

from _models import Change
from agree_plan import agree_plan, go, stop

from segue import OUTCOME, Context, Workflow

feature = Workflow("feature", input=Change, start="plan", max_steps=40)

plan = feature.include("plan", agree_plan, input=lambda ctx: Change(task=ctx.input.task))
nightly = feature.wait("nightly", seconds=12 * 3600, status="until the nightly build is through")


@feature.agent(status="building")
def build(ctx: Context[Change]) -> str:
    steps = "\n".join(ctx.output(plan.exit(go)).steps)
    failed = ctx.latest(test, None)
    log = f"\n\nThe tests said:\n{ctx.excerpt(failed.stdout, 4000)}" if failed else ""
    return f"Build this, step by step:\n{steps}{log}"


@feature.shell(effect="idempotent", status="running the tests")
def test(_ctx: Context[Change]) -> list[str]:
    return ["python", "-m", "pytest", "-q"]


@feature.notify
def gave_up(ctx: Context[Change]) -> str:
    return f"Nothing was built: {ctx.output(plan.exit(stop)).why}"


@feature.assistant(status="summing up")
def tell(ctx: Context[Change]) -> str:
    return f"Say in three sentences what was built for: {ctx.input.task}"


feature.edge(plan.exit(go), build)
feature.edge(plan.exit(stop), gave_up)
feature.edge(build, test)
feature.switch(test, on=OUTCOME, cases={"ok": nightly, "failed": build, "timed_out": None})
feature.edge(nightly, tell)
