"""The package imported as a whole."""

from typing import Literal

from pydantic import BaseModel
from segue import OUTCOME, Context, Workflow
import segue


class Task(BaseModel):
    task: str


class Verdict(BaseModel):
    route: Literal["clean", "issues_found"]
    reason: str


wf = segue.Workflow("ok-segue-module", input=Task, start="a")


@wf.agent(output=Verdict)
def a(c: segue.Context[Task]) -> str:
    return c.input.task


wf.switch(a, on=segue.OUTCOME, cases={"ok": None, "failed": None, "timed_out": None})
