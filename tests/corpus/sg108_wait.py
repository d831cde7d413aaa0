"""A wait says nothing."""

from pydantic import BaseModel
from segue import Context, Workflow


class Task(BaseModel):
    task: str


wf = Workflow("sg108-wait", start="a")


a = wf.wait("a", seconds=5)
wf.switch(a, on="route", cases={"x": None})  # SG108 a
