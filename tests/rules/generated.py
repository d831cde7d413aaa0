"""Workflow files made from a seed: well-formed Python, with or without faults in the graph.

They use every way of writing that the API has, so that the text model has to understand each:
handles and names, cases in place and under a name, Enum members, mounts with exits, failures.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

CHILD = """\
from pydantic import BaseModel
from segue import Context, Workflow


class Brief(BaseModel):
    brief: str


class Found(BaseModel):
    good: bool
    text: str


child = Workflow("child", input=Brief, start="look")


@child.agent(output=Found)
def look(ctx: Context[Brief]) -> str:
    return ctx.input.brief


@child.compute
def well(ctx: Context[Brief]) -> Found:
    return ctx.output(look)


@child.compute
def badly(ctx: Context[Brief]) -> Found:
    return ctx.output(look)


child.switch(look, on="good", cases={True: well, False: badly})
fine = child.exit("fine", well, output=Found)
poor = child.exit("poor", badly, output=Found)
"""

HEAD = """\
from enum import Enum, StrEnum, auto
from typing import Literal, Optional

from child import Brief, child, fine, poor
from pydantic import BaseModel
from segue import OUTCOME, Context, Workflow


class Task(BaseModel):
    task: str


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Size(StrEnum):
    SMALL = auto()
    LARGE = auto()


Route = Literal["left", "right", "up"]


class Inner(BaseModel):
    colour: Colour


class Answer(BaseModel):
    route: Route
    size: Size
    sure: bool
    maybe: Optional[Literal["yes"]] = None
    inner: Inner


ALL = ["one", "two"]
"""

FIELDS: dict[str, list[str]] = {
    "route": ['"left"', '"right"', '"up"'],
    "size": ["Size.SMALL", '"large"'],
    "sure": ["True", "False"],
    "maybe": ['"yes"', "None"],
    "inner.colour": ["Colour.RED", '"blue"'],
}
OUTCOMES = ['"ok"', '"failed"', '"timed_out"']


@dataclass
class Made:
    """One file in the making."""

    random: random.Random
    faulty: bool
    lines: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    kinds: dict[str, str] = field(default_factory=dict)
    onward: str | None = None
    """The node that has to be reached from the present one; faultless graphs are chains."""

    def fault(self) -> bool:
        return self.faulty and self.random.random() < 0.12

    def target(self) -> str:
        """Give a target: the handle, its name in quotes, or the end."""
        if self.fault():
            return '"nowhere"'
        if self.onward is not None:
            name, self.onward = self.onward, None
            return name
        if self.random.random() < 0.2:
            return "None"
        name = self.random.choice(self.names)
        return f'"{name}"' if self.random.random() < 0.3 else name


def generate(seed: int, *, faulty: bool) -> str:
    """Give the text of the workflow `made`."""
    made = Made(random.Random(seed), faulty)
    count = made.random.randint(2, 9)
    made.lines.append(HEAD)
    start = "nowhere" if made.fault() else "n0"
    made.lines.append(f'made = Workflow("made", input=Task, start="{start}")\n')
    for index in range(count):
        _node(made, f"n{index}")
    for name, following in zip(made.names, [*made.names[1:], None], strict=True):
        made.onward = None if faulty and made.random.random() < 0.3 else following
        _ways(made, name)
    return "\n".join(made.lines)


def _node(made: Made, name: str) -> None:
    kinds = "agent plain assistant decision person compute action shell wait checkpoint mount"
    kind = made.random.choice(kinds.split())
    made.names.append(name)
    made.kinds[name] = kind
    if kind == "wait":
        made.lines.append(f'{name} = made.wait("{name}", seconds={made.random.randint(1, 9)})\n')
    elif kind == "mount":
        made.lines.append(
            f'{name} = made.include("{name}", child, input=lambda ctx: Brief(brief="x"))\n'
        )
    else:
        _function(made, name, kind)


def _function(made: Made, name: str, kind: str) -> None:
    effect = "maybe" if made.fault() else made.random.choice(["idempotent", "manual"])
    given = f'effect="{effect}", '
    decorator = {
        "agent": "@made.agent(output=Answer)",
        "plain": '@made.agent(status="busy")',
        "assistant": "@made.assistant()",
        "decision": '@made.decision(choices=["one", "two"])',
        "person": "@made.human_decision(choices=ALL)",
        "compute": "@made.compute",
        "action": f'@made.action({given}status="x")',
        "shell": f'@made.shell({given}status="x")',
        "checkpoint": "@made.checkpoint(output=Answer)",
    }[kind]
    parameters = "" if made.fault() else "ctx: Context[Task]"
    gives, body = {
        "compute": ("Answer", "raise NotImplementedError"),
        "action": ("None", "return None"),
        "shell": ("list[str]", 'return ["true"]'),
    }.get(kind, ("str", 'return "x"'))
    made.lines.append(f"\n{decorator}\ndef {name}({parameters}) -> {gives}:\n    {body}\n\n")


def _ways(made: Made, name: str) -> None:
    kind = made.kinds[name]
    if kind == "mount":
        for port in ("fine", "poor"):
            if made.onward is not None or made.random.random() < 0.6:
                which = port if made.random.random() < 0.5 else f'"{port}"'
                _leave(made, f"{name}.exit({which})", {"good": ["True", "False"]})
        return
    if made.onward is None and made.random.random() < 0.5:
        return
    fields = {
        "agent": FIELDS,
        "compute": FIELDS,
        "checkpoint": FIELDS,
        "decision": {"choice": ['"one"', '"two"']},
        "person": {"choice": ['"one"', '"two"']},
        "shell": {"exit_code": ["0", "1"]},
    }.get(kind, {})
    outcome = _leave(made, name, fields)
    if made.random.random() < 0.2 and (not outcome or made.fault()):
        made.lines.append(f"made.on_failure({name}, {made.random.choice(made.names)})\n")
    if made.fault():
        made.lines.append(f"made.edge({name}, None)\n")


def _leave(made: Made, source: str, fields: dict[str, list[str]]) -> bool:
    """Write an edge or a switch; tell whether it rests on the outcome."""
    choice = made.random.random()
    if choice < 0.35 or (choice < 0.75 and not fields):
        made.lines.append(f"made.edge({source}, {made.target()})\n")
        return False
    if choice < 0.75:
        on, values = made.random.choice(sorted(fields.items()))
        on = f'"{on}x"' if made.fault() else f'"{on}"'
    else:
        on, values = "OUTCOME", OUTCOMES
    values = values[1:] if made.fault() else values
    values = [*values, '"odd"'] if made.fault() else values
    cases = "{" + ", ".join(f"{value}: {made.target()}" for value in values) + "}"
    if made.random.random() < 0.3:
        variable = f"CASES_{len(made.lines)}"
        made.lines.append(f"{variable} = {cases}\n")
        cases = variable
    made.lines.append(f"made.switch({source}, on={on}, cases={cases})\n")
    return on == "OUTCOME"
