"""The output of an included workflow's exit."""

from pydantic import BaseModel
from segue import Context, Workflow
from ok_exit import wf as ok_exit


class Task(BaseModel):
    task: str


wf = Workflow("sg105-port", input=Task, start="inner")


inner = wf.include("inner", ok_exit, input=lambda ctx: ctx.input)
wf.switch(inner.exit("done"), on="route", cases={"clean": None})  # SG105 issues_found
