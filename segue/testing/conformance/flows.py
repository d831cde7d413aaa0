"""The workflows that the kit runs: small, and between them every kind of step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from pathlib import Path

_HEAD: Final = """
from typing import Literal
from pydantic import BaseModel
from segue import OUTCOME, Context, Workflow

class Verdict(BaseModel):
    route: Literal["clean", "issues_found"]
    reason: str
"""

REVIEW: Final = """
review = Workflow("review", start="inspect", max_steps=30)

@review.agent(output=Verdict, status="reviewing")
def inspect(ctx: Context) -> str:
    return f"Review the change (look {ctx.visit})."

@review.agent(status="fixing")
def fix(ctx: Context) -> str:
    return f"Fix this: {ctx.output(inspect).reason}"

@review.compute
def done(ctx: Context) -> dict[str, str]:
    return {"verdict": "clean", "why": ctx.output(inspect).reason}

review.switch(inspect, on="route", cases={"clean": done, "issues_found": fix})
review.edge(fix, inspect)
"""

TOUR: Final = """
tour = Workflow("tour", start="look", max_steps=30)

@tour.agent(output=Verdict, status="looking")
def look(ctx: Context) -> str:
    return "Look around."

@tour.notify
def note(ctx: Context) -> str:
    return f"It is {ctx.output(look).route}."

@tour.assistant(status="telling")
def tell(ctx: Context) -> str:
    return "Tell the person what you saw."

@tour.checkpoint(status="asking")
def ask(ctx: Context) -> str:
    return "Which colour?"

@tour.human_decision(choices=["go", "redo", "stop"], text=["redo"])
def agree(ctx: Context) -> str:
    return f"Paint it {ctx.output(ask)}?"

rest = tour.wait("rest", seconds=3600)

@tour.agent(status="painting")
def paint(ctx: Context) -> str:
    return "Paint it."

@tour.compute
def end(ctx: Context) -> dict[str, str]:
    return {"colour": ctx.output(ask)}

tour.edge(look, note)
tour.edge(note, tell)
tour.edge(tell, ask)
tour.edge(ask, agree)
tour.switch(agree, on="choice", cases={"go": rest, "redo": ask, "stop": end})
tour.edge(rest, paint)
tour.edge(paint, end)
"""

FRAGILE: Final = """
fragile = Workflow("fragile", start="try_it", max_steps=30)

@fragile.agent(output=Verdict, status="trying", timeout=60)
def try_it(ctx: Context) -> str:
    return "Try it."

@fragile.compute
def weigh(ctx: Context) -> int:
    if ctx.output(try_it).route == "issues_found":
        raise ValueError("it broke")
    return 1

fragile.edge(try_it, weigh)
"""

ROUTED: Final = """
routed = Workflow("routed", start="try_it", max_steps=30)

@routed.agent(output=Verdict, status="trying", timeout=60)
def try_it(ctx: Context) -> str:
    return "Try it."

@routed.agent(status="saying")
def own_up(ctx: Context) -> str:
    return "Say what went wrong."

routed.switch(try_it, on=OUTCOME, cases={"ok": None, "failed": own_up, "timed_out": own_up})
"""

ASKING: Final = """
asking = Workflow("asking", start="agree", max_steps=30)

@asking.human_decision(choices=["go", "stop"], timeout=60, on_timeout="stop")
def agree(ctx: Context) -> str:
    return "Shall we?"

@asking.compute
def end(ctx: Context) -> dict[str, str]:
    return {"choice": ctx.output(agree).choice, "by": ctx.output(agree).provenance}

asking.edge(agree, end)
"""

EAGER: Final = """
eager = Workflow("eager", start="one", max_steps=30, on_reopen="continue")

@eager.agent(status="one")
def one(ctx: Context) -> str:
    return "One."

@eager.agent(status="two")
def two(ctx: Context) -> str:
    return "Two."

eager.edge(one, two)
"""

FLOWS: Final = {
    "review": REVIEW,
    "tour": TOUR,
    "fragile": FRAGILE,
    "routed": ROUTED,
    "asking": ASKING,
    "eager": EAGER,
}

CLEAN: Final[dict[str, Any]] = {"route": "clean", "reason": "nothing is wrong"}
ISSUES: Final[dict[str, Any]] = {"route": "issues_found", "reason": "a typo"}

ANSWERS: Final[dict[str, Any]] = {
    "inspect": lambda before: ISSUES if before == 0 else CLEAN,
    "fix": None,
    "look": CLEAN,
    "tell": "I saw nothing wrong.",
    "ask": "blue",
    "paint": None,
    "try_it": CLEAN,
    "own_up": None,
    "one": None,
    "two": None,
}
"""What the good model answers; `review` is then inspected twice and fixed once."""


def write(project: Path, name: str, text: str) -> Path:
    """Put a workflow into a project."""
    file = project / ".segue" / "workflows" / f"{name}.py"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(_HEAD + text, "utf-8")
    return file


def write_all(project: Path) -> None:
    """Put all of the kit's workflows into a project."""
    for name, text in FLOWS.items():
        write(project, name, text)
