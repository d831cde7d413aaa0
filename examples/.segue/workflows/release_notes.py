"""Write the release notes of a version, have them approved, and publish them.

segue rehearse release-notes 2.0.0 --answers examples/release_notes.answers.json
"""

import re

from proofread import Text, proofread, ready
from pydantic import BaseModel

from segue import Context, Progress, ShellResult, Workflow


class Release(BaseModel):
    version: str
    since: str = "HEAD~20"


class Suite(BaseModel):
    passed: int


class Notes(BaseModel):
    summary: str
    changes: list[str]
    breaking: list[str]


release_notes = Workflow(
    "release-notes", input=Release, start="tests", max_steps=40, title="Release notes"
)


# A command. `parse` makes its output, `progress` reads its lines as they come. After a crash
# that leaves it unknown how far it got, it may simply run again.


def suite(result: ShellResult) -> Suite:
    found = re.search(r"(\d+) passed", result.stdout)
    return Suite(passed=int(found[1]) if found else 0)


def percent(line: str) -> Progress | None:
    found = re.search(r"\[\s*(\d+)%\]", line)
    return Progress(float(found[1]), 100, "%") if found else None


@release_notes.shell(effect="idempotent", parse=suite, progress=percent, status="running the tests")
def tests(_ctx: Context[Release]) -> list[str]:
    return ["make", "test"]


# Where the tests lead when they fail: an agent step without an output, then the tests again.


@release_notes.agent(status="repairing the tests")
def repair(ctx: Context[Release]) -> str:
    return (
        f"`make test` fails, and {ctx.input.version} has to be green. Repair it (try {ctx.visit})."
    )


@release_notes.shell(effect="idempotent", status="reading the history")
def history(ctx: Context[Release]) -> list[str]:
    return ["git", "log", "--oneline", f"{ctx.input.since}..HEAD"]


# The answer has to fit `Notes`. One that does not comes back with what is wrong, and the same
# step goes on.


@release_notes.agent(output=Notes, status="drafting")
def draft(ctx: Context[Release]) -> str:
    asked = ctx.latest(approve, None)
    wish = f"\nA reader asked for this change: {asked.text}" if asked and asked.text else ""
    return (
        f"Write the release notes of {ctx.input.version} for the people who use it."
        f" {ctx.output(tests).passed} tests pass. The commits:\n\n"
        f"{ctx.excerpt(ctx.output(history).stdout, 4_000)}{wish}"
    )


@release_notes.compute
def page(ctx: Context[Release]) -> str:
    notes = ctx.output(draft)
    listed = [f"- {change}" for change in notes.changes]
    listed += [f"- **Breaking:** {change}" for change in notes.breaking]
    return "\n".join([f"# {ctx.input.version}", "", notes.summary, "", *listed])


# Another workflow, mounted under a name: its steps are `editing/look`, `editing/rewrite`, ...

editing = release_notes.include(
    "editing",
    proofread,
    input=lambda ctx: Text(text=ctx.output(page), audience="people who upgrade on a Monday"),
)

# No process sleeps for it, and a closed laptop does not lose it.
settle = release_notes.wait("settle", seconds=2 * 3600, status="leaving time for late objections")


# Only a person can answer this; the model has no way to.


@release_notes.human_decision(choices=["publish", "change", "hold"], text=["change"])
def approve(ctx: Context[Release]) -> str:
    return f"Publish this?\n\n{ctx.output(editing.exit(ready)).text}"


# An effect outside. Writing the same file twice does no harm, so a crash may run it again.


@release_notes.action(effect="idempotent", status="publishing")
def publish(ctx: Context[Release]) -> str:
    file = ctx.project / f"RELEASE-{ctx.input.version}.md"
    file.write_text(ctx.output(editing.exit(ready)).text, "utf-8")
    ctx.progress(1, 1, "file")
    return file.name


@release_notes.notify
def published(ctx: Context[Release]) -> str:
    return f"{ctx.input.version} is out: {ctx.output(publish)}"


@release_notes.notify
def not_published(ctx: Context[Release]) -> str:
    return f"{ctx.input.version} is approved but could not be written; start again when it can be."


# The last word is the model's own, in plain text to the person.


@release_notes.assistant(status="announcing")
def announce(ctx: Context[Release]) -> str:
    summary = ctx.output(draft).summary
    return f"Tell the team in two sentences that {ctx.input.version} is out: {summary}"


# The graph. A node without an edge ends the run.

release_notes.edge(tests, history)
release_notes.on_failure(tests, repair)
release_notes.edge(repair, tests)
release_notes.edge(history, draft)
release_notes.edge(draft, page)
release_notes.edge(page, editing)
release_notes.edge(editing.exit(ready), settle)
release_notes.edge(settle, approve)
release_notes.switch(
    approve, on="choice", cases={"publish": publish, "change": draft, "hold": None}
)
release_notes.edge(publish, published)
release_notes.on_failure(publish, not_published)
release_notes.edge(published, announce)
