"""Read a text again and have it rewritten until it reads well.

Only good inside other workflows: `release_notes.py` includes it. Each time it is entered it
starts fresh, with an input and visits of its own.
"""

from typing import Literal

from pydantic import BaseModel

from segue import Context, Workflow


class Text(BaseModel):
    text: str
    audience: str


class Reading(BaseModel):
    verdict: Literal["ready", "rework"]
    remarks: str


class Revision(BaseModel):
    text: str


proofread = Workflow("proofread", input=Text, start="look", max_steps=20, mount_only=True)


@proofread.agent(output=Reading, status="proofreading")
def look(ctx: Context[Text]) -> str:
    # `latest`, not `output`: on the first visit nothing has been rewritten yet.
    revision = ctx.latest(rewrite, Revision(text=ctx.input.text))
    again = "" if ctx.visit == 1 else " You asked for changes: look whether they were made."
    return f"Proofread this for {ctx.input.audience}.{again}\n\n{revision.text}"


@proofread.agent(output=Revision, status="rewriting")
def rewrite(ctx: Context[Text]) -> str:
    text = ctx.latest(rewrite, Revision(text=ctx.input.text)).text
    return f"Rewrite the text as remarked: {ctx.output(look).remarks}\n\n{text}"


@proofread.compute
def final(ctx: Context[Text]) -> Revision:
    return ctx.latest(rewrite, Revision(text=ctx.input.text))


proofread.switch(look, on="verdict", cases={"ready": final, "rework": rewrite})
proofread.edge(rewrite, look)

# What others go on from, and read: `mount.exit(ready)`.
ready = proofread.exit("ready", final, output=Revision)
